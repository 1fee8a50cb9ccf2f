#include "stallscope/report/html_style.h"

namespace stallscope {

// Neighbouring segments differ in lightness, not only in hue, and text stands on each with a contrast of
// 4.5 or more, in both schemes (tests/browser/page_test.py computes it).
std::string_view PageStyle() {
  return R"css(:root {
  --page: #ffffff; --ink: #17202b; --soft: #55606e; --line: #c4ccd6; --card: #f4f6f9; --accent: #1d4f91;
  --compute: #c9d3e0; --on-compute: #17202b; --interconnect: #5b3f9e; --on-interconnect: #ffffff;
  --network: #e5795f; --on-network: #17202b; --prep: #f6d978; --on-prep: #17202b;
  --fetch: #0b6a6a; --on-fetch: #ffffff; --forward: #8096b6; --on-forward: #10161e;
  --optimizer: #3f4a5a; --on-optimizer: #ffffff;
  --problem: #a61b29; --warning: #7a4d00; --info: #1d4f91;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #12161c; --ink: #e8edf3; --soft: #a3afbd; --line: #3a4553; --card: #1b2129; --accent: #8fbcff;
    --compute: #c0cad8; --interconnect: #7056c4; --on-interconnect: #ffffff;
    --network: #e5795f; --fetch: #2a8f8f; --on-fetch: #0c0f13; --optimizer: #596678; --on-optimizer: #ffffff;
    --forward: #6f87ab; --on-forward: #0c0f13;
    --problem: #ff9aa2; --warning: #f2c26b; --info: #8fbcff;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; max-width: 72rem; padding: 1.5rem clamp(1rem, 4vw, 2.5rem) 4rem;
  background: var(--page); color: var(--ink); line-height: 1.5;
  font-family: system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
  overflow-wrap: anywhere;
}
h1 { font-size: clamp(1.6rem, 5vw, 2.4rem); line-height: 1.15; margin: 0; }
h2 { font-size: 1.3rem; margin: 0 0 .5rem; }
h3 { font-size: 1rem; margin: 0; }
p { margin: .4rem 0; }
code { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .92em; }
small { font-size: .85em; color: var(--soft); font-weight: normal; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--page); padding: .3rem .6rem; z-index: 1; }
.kind { color: var(--soft); font-size: .9rem; letter-spacing: .06em; text-transform: uppercase; margin: 0 0 .2rem; }
.subtitle, .lead { color: var(--soft); }
.lead { max-width: 46rem; }
.soft { color: var(--soft); }
.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
.verdict {
  font-size: clamp(1.05rem, 2.6vw, 1.3rem); line-height: 1.4; margin: 1.2rem 0 .8rem; padding: .8rem 1rem;
  background: var(--card); border-left: 5px solid var(--accent);
}
nav ul { list-style: none; margin: 1rem 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; }
nav a { display: inline-block; padding: .15rem 0; font-size: .95rem; }
section { margin-top: 2.6rem; border-top: 1px solid var(--line); padding-top: 1.2rem; }
figure { margin: 1.2rem 0; }
figcaption { margin-bottom: .4rem; }
svg { display: block; }
svg text { fill: var(--soft); font-size: 12px; }
.bar { forced-color-adjust: none; }
.bar text { text-anchor: middle; dominant-baseline: central; font-size: 13px; font-weight: 600; }
.bar .narrow, .bar .widest { display: none; }
.track { fill: var(--card); stroke: var(--line); }
.fill-compute, .fill-backward { fill: var(--compute); }
.fill-interconnect { fill: var(--interconnect); }
.fill-network, .fill-exposed { fill: var(--network); }
.fill-prep, .fill-copy { fill: var(--prep); }
.fill-fetch, .fill-wait { fill: var(--fetch); }
.fill-forward, .fill-hidden { fill: var(--forward); }
.fill-optimizer, .fill-queued { fill: var(--optimizer); }
.on-compute text, .on-backward text { fill: var(--on-compute); }
.on-interconnect text { fill: var(--on-interconnect); }
.on-network text, .on-exposed text { fill: var(--on-network); }
.on-prep text, .on-copy text { fill: var(--on-prep); }
.on-fetch text, .on-wait text { fill: var(--on-fetch); }
.on-forward text { fill: var(--on-forward); }
.on-optimizer text { fill: var(--on-optimizer); }
.bar svg rect, .swatch rect { stroke: var(--ink); stroke-width: 1; }
.axis line { stroke: var(--soft); }
.legend {
  list-style: none; margin: .5rem 0 0; padding: 0; font-size: .95rem;
  display: grid; gap: .25rem 1.5rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr));
}
.legend li { display: flex; gap: .5rem; align-items: baseline; }
.total .legend { gap: .4rem 1rem; grid-template-columns: repeat(auto-fit, minmax(11.5rem, 1fr)); }
.total .legend .number { display: block; }
.legend .part { font-size: .92em; }
.swatch { flex: none; width: 14px; height: 14px; align-self: start; margin-top: .3em; }
.doubt { font-style: italic; }
table { border-collapse: collapse; width: 100%; font-size: .95rem; }
th, td { text-align: left; vertical-align: top; padding: .5rem .8rem .5rem 0; border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-weight: 600; font-size: .85rem; vertical-align: bottom; }
tbody th { font-weight: 600; }
.ladder th small { display: block; }
.ladder th, .ladder td { overflow-wrap: break-word; }
.ladder .absent td { overflow-wrap: anywhere; }
.ladder tbody th { width: 25%; }
.ladder .timed { display: block; min-width: 9rem; }
.ladder .doubt { display: block; }
.ladder .sum td { font-size: .95em; color: var(--soft); }
.ladder .absent, .ladder .absent b { color: var(--soft); }
.interval { margin-top: .2rem; overflow: visible; }
.interval .mean { fill: var(--forward); }
.interval line { stroke: var(--ink); stroke-width: 2; }
.scroll { overflow-x: auto; }
.scroll th, .scroll td { white-space: nowrap; font-variant-numeric: tabular-nums; }
.scroll thead th { white-space: normal; overflow-wrap: normal; }
.rungbar { display: grid; grid-template-columns: 4.2rem 1fr; align-items: center; margin-bottom: 4px; }
.timeline { display: flex; }
.timeline > div { flex: 1; min-width: 0; }
.labels { flex: none; }
.labels text { text-anchor: end; dominant-baseline: central; font-size: 12px; }
.plot .grid { stroke: var(--line); }
.plot .ready { stroke: var(--ink); stroke-width: 2; }
.plot .last-gradient { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 5 4; }
.plot .fill-hidden, .plot .fill-exposed { stroke: var(--ink); stroke-width: .5; }
.hatch { fill: url(#stripes); stroke: none; }
.swatch .hatch { stroke: none; }
.stripe { fill: var(--page); fill-opacity: .55; }
.key-ready { flex: none; width: 14px; height: 14px; border-left: 2px solid var(--ink); margin-left: 6px; margin-right: -6px; }
.key-last { flex: none; width: 14px; height: 14px; border-left: 2px dashed var(--ink); margin-left: 6px; margin-right: -6px; }
details { margin-top: .8rem; }
summary { cursor: pointer; color: var(--accent); padding: .2rem 0; }
.facts { margin: .6rem 0; display: grid; gap: 0 2.5rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); }
.facts div { display: grid; grid-template-columns: 10.5rem 1fr; gap: .8rem; padding: .4rem 0; border-bottom: 1px solid var(--line); }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; font-variant-numeric: tabular-nums; }
.findings { list-style: none; margin: 0; padding: 0; display: grid; gap: .9rem; }
.findings li { background: var(--card); border-left: 5px solid var(--info); padding: .8rem 1rem; }
.findings .problem { border-color: var(--problem); }
.findings .warning { border-color: var(--warning); }
.severity { font-size: .75rem; text-transform: uppercase; letter-spacing: .05em; border: 1.5px solid; border-radius: 3px; padding: .05rem .4rem; margin-right: .3rem; color: var(--info); }
.problem .severity { color: var(--problem); }
.warning .severity { color: var(--warning); }
@media (min-width: 62rem) {
  .bar .wide { display: none; }
  .bar .widest { display: inline; }
}
@media screen and (max-width: 52rem) {
  .bar .wide, .axis .roomy { display: none; }
  .bar .narrow { display: inline; }
  .facts div { grid-template-columns: 1fr; gap: 0; }
  .ladder, .ladder tbody, .ladder tr, .ladder th, .ladder td { display: block; width: auto; }
  .ladder thead { position: absolute; left: -999rem; }
  .ladder tr { padding: .6rem 0; border-bottom: 1px solid var(--line); }
  .ladder th, .ladder td { border: 0; padding: .1rem 0; }
  .ladder tbody th { width: auto; }
  .ladder .empty { display: none; }
  .ladder td[data-label] { display: grid; grid-template-columns: 5.5rem 1fr; gap: .5rem; }
  .ladder td[data-label]::before { content: attr(data-label); color: var(--soft); }
  .ladder .sum { padding-left: 1.2rem; }
  .ladder .timed { min-width: 0; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, .skip { display: none; }
  svg, .verdict, .findings li { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  figure, tr, .findings li, .facts div { break-inside: avoid; }
  h2, h3, .lead { break-after: avoid; }
  table, .legend { font-size: 9pt; }
  thead th { font-size: inherit; }
  .scroll { overflow: visible; }
  .scroll table { font-size: 7.5pt; }
  .scroll th, .scroll td { padding-right: .4rem; }
  details::details-content { content-visibility: visible; block-size: auto; }
  summary { display: none; }
}
)css";
}

}  // namespace stallscope
