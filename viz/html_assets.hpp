// The style and the script of the page that html.hpp makes, as text.
#pragma once

#include <string_view>

namespace taintgraph::viz {

inline constexpr std::string_view kPageStyle = R"css(
:root { color-scheme: light dark; --paper: #fff; --ink: #1a1a1a; --quiet: #595959; --line: #c8c8c8; --mark: #0072b2; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181c; --ink: #ececec; --quiet: #b0b0b0; --line: #45494f; --mark: #7cc4f2; }
}
body { margin: 0 auto; max-width: 90rem; padding: 1rem 1.5rem 3rem; background: var(--paper); color: var(--ink);
  font: 16px/1.45 Helvetica, Arial, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 1.25rem 0 .25rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
p { margin: .25rem 0; }
a { color: var(--mark); }
.quiet { color: var(--quiet); }
figure { margin: .75rem 0; overflow: auto; max-height: 80vh; background: #fff; border: 1px solid var(--line);
  border-radius: 6px; }
figure svg { display: block; margin: 0 auto; }
figure.fit svg { max-width: 100%; height: auto; }
figure g:target polygon { stroke-width: 3.5; }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); }
td.bytes, td.chain { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .9rem; white-space: nowrap; }
.chip { display: inline-block; width: .8em; height: .8em; margin-right: .45em; border-radius: 2px; }
.controls { display: none; gap: .5rem; align-items: center; flex-wrap: wrap; margin: .75rem 0; }
.scripted .controls { display: flex; }
.controls input[type=range] { flex: 1 1 12rem; }
button, input { font: inherit; color: inherit; }
)css";

inline constexpr std::string_view kPageScript = R"js(
'use strict';
document.documentElement.classList.add('scripted');
const frames = [...document.querySelectorAll('section.frame')];
const slider = document.getElementById('step');
const words = document.getElementById('step-words');
function show(at) {
  at = Math.max(0, Math.min(frames.length - 1, at));
  frames.forEach((frame, index) => { frame.hidden = index !== at; });
  if (slider) {
    slider.value = at;
    slider.setAttribute('aria-valuetext', frames[at].dataset.caption);
    words.textContent = (at + 1) + ' of ' + frames.length;
  }
}
function step(by) { show(Number(slider.value) + by); }
if (slider) {
  slider.addEventListener('input', () => show(Number(slider.value)));
  document.getElementById('previous').addEventListener('click', () => step(-1));
  document.getElementById('next').addEventListener('click', () => step(1));
  document.addEventListener('keydown', event => {
    if (event.target.matches('input, figure') || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'ArrowLeft') step(-1);
    if (event.key === 'ArrowRight') step(1);
  });
}
show(frames.length - 1);
document.getElementById('fit').addEventListener('change', event => {
  document.querySelectorAll('figure').forEach(figure => figure.classList.toggle('fit', event.target.checked));
});
document.getElementById('filter').addEventListener('input', event => {
  const wanted = event.target.value.toLowerCase();
  document.querySelectorAll('tbody tr').forEach(row => {
    row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
});
)js";

}  // namespace taintgraph::viz
