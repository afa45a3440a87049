import { customProperties, PALETTES } from '../../../report/html/palette.ts';

/** The style sheet of all pages, for light and dark screens, from a phone to a wide desk. It loads no fonts or images. */
export const STYLE = `
:root { color-scheme: light dark; ${customProperties(PALETTES.light)} }
@media (prefers-color-scheme: dark) { :root:not([data-theme=light]) { ${customProperties(PALETTES.dark)} } }
:root[data-theme=light] { color-scheme: light; }
:root[data-theme=dark] { color-scheme: dark; ${customProperties(PALETTES.dark)} }
/* For lines and marks, the colour of sells is light enough; as small text it is not. */
:root { --sell-text: color-mix(in srgb, var(--sell) 72%, var(--ink)); }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 14px/1.45 ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; font-variant-numeric: tabular-nums; }
header, main, footer { max-width: 1500px; margin: 0 auto; padding: 0 24px; } footer { padding-bottom: 24px; color: var(--muted); font-size: 12.5px; }
main { padding-bottom: 56px; } main:focus { outline: none; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 28px; padding-top: 14px; padding-bottom: 10px; border-bottom: 2px solid var(--accent); }
.brand { font-size: 13px; font-weight: 700; letter-spacing: 0.1em; text-transform: uppercase; color: var(--accent); text-decoration: none; }
header nav { display: flex; gap: 4px; } nav a { color: var(--muted); text-decoration: none; padding: 5px 10px; border-radius: 6px; }
nav a:hover { color: var(--ink); background: var(--accent-soft); } nav a[aria-current=page] { color: var(--ink); font-weight: 600; background: var(--accent-soft); }
.switches { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 8px; margin-left: auto; } .switches > .state { margin-right: 8px; }
button, input, select { font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--rule); border-radius: 6px; padding: 5px 11px; min-height: 32px; }
button { cursor: pointer; } button:hover:not(:disabled) { border-color: var(--accent); } button:disabled { opacity: 0.5; cursor: default; }
.switches button { color: var(--muted); background: none; font-size: 13px; min-height: 28px; padding: 3px 9px; }
.primary { background: var(--accent); border-color: var(--accent); color: var(--paper); font-weight: 600; }
a { color: var(--accent); } :is(a, button, input, select, summary, [tabindex]):focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -999px; top: 8px; z-index: 20; padding: 8px 14px; border-radius: 6px; background: var(--ink); color: var(--paper); } .skip:focus { left: 16px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
h1, h2 { font-family: Charter, 'Bitstream Charter', 'Iowan Old Style', 'Palatino Linotype', Georgia, 'Noto Serif', serif; font-weight: 600; }
h1 { font-size: 30px; line-height: 1.15; margin: 0; overflow-wrap: anywhere; } h2 { font-size: 19px; margin: 0; }
h3 { font-size: 11.5px; font-weight: 600; letter-spacing: 0.07em; text-transform: uppercase; color: var(--muted); margin: 16px 0 6px; }
section { margin-top: 26px; }
.section-head { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 2px 20px; margin-bottom: 8px; } .section-head .note { margin: 0; }
.note { color: var(--muted); font-size: 13px; margin: 8px 0 0; overflow-wrap: anywhere; } .muted { color: var(--muted); } .path { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: 12px; }
code { font: 0.9em ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; overflow-wrap: anywhere; }
.gain { color: var(--gain); } .loss { color: var(--loss); } .buy { color: var(--buy); } .sell { color: var(--sell-text); }
.empty { margin: 0; padding: 16px 18px; border: 1px dashed var(--rule); border-radius: 8px; color: var(--muted); }
.trouble { margin: 8px 0; padding: 8px 14px; border-left: 4px solid var(--loss); background: var(--card); overflow-wrap: anywhere; }
.banner { margin-top: 14px; padding: 12px 16px; border: 1px solid var(--loss); border-left-width: 5px; border-radius: 6px; background: var(--card); }
.state { display: inline-flex; align-items: baseline; gap: 6px; font-weight: 600; white-space: nowrap; color: var(--tone); } .state i { font-style: normal; font-size: 0.85em; }
.good { --tone: var(--accent); } .wait { --tone: var(--gain); } .warn { --tone: var(--warn); } .bad { --tone: var(--loss); } .off { --tone: var(--muted); }
.mode { font-size: 12px; padding: 1px 7px; border-radius: 999px; border: 1px solid var(--rule); color: var(--muted); } .mode.live { border-color: var(--sell); color: var(--sell-text); font-weight: 600; }
.totals { display: flex; flex-wrap: wrap; gap: 12px; }
.total { display: flex; gap: 26px; align-items: flex-end; margin: 0; padding: 12px 18px; background: var(--card); border: 1px solid var(--rule); border-radius: 8px; } .total dt { font-size: 12.5px; color: var(--muted); } .total dd { margin: 0; } .total-of dt { color: var(--ink); font-weight: 600; } .total-of dd { color: var(--muted); font-size: 12.5px; margin-top: 4px; }
.big { font-size: 22px; line-height: 1.25; font-weight: 600; letter-spacing: -0.01em; white-space: nowrap; }
.tools { display: flex; align-items: center; gap: 12px; margin-bottom: 8px; } .tools input { width: min(320px, 100%); }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--rule); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; } th, td { padding: 7px 12px; text-align: left; white-space: nowrap; vertical-align: baseline; }
th { font-size: 12.5px; font-weight: 600; color: var(--muted); border-bottom: 1px solid var(--rule); } th button { font: inherit; color: inherit; background: none; border: 0; padding: 2px 0; min-height: 24px; border-radius: 3px; } th button:hover { color: var(--ink); text-decoration: underline; text-underline-offset: 3px; } th[aria-sort] { color: var(--ink); }
tbody tr + tr td { border-top: 1px solid color-mix(in srgb, var(--rule) 60%, transparent); } tbody tr:hover td { background: color-mix(in srgb, var(--accent) 5%, transparent); }
.figure { text-align: right; } .wrap { white-space: normal; min-width: 180px; overflow-wrap: anywhere; } td.wrap { color: var(--muted); font-size: 13px; }
.unit { margin-left: 5px; font-size: 11.5px; color: var(--muted); } .name { font-weight: 600; } .age { display: block; color: var(--warn); font-size: 11.5px; }
tr.uncounted :is(data, .held, .unit) { color: var(--muted); font-style: italic; } .tiles.uncounted data { color: var(--muted); font-style: italic; }
.held { margin: 0; padding: 0; list-style: none; } .held b { font-weight: 600; }
.all { margin-top: 8px; } .opener { background: none; border: 0; padding: 0; min-height: 24px; text-align: left; } .more td { white-space: normal; background: var(--paper); }
.proofs { margin-top: 10px; } summary { cursor: pointer; color: var(--muted); font-size: 13px; padding: 4px 0; } .proofs dl, .facts { margin: 6px 0 0; } .proofs dl > div, .facts > div { display: flex; gap: 14px; padding: 3px 0; } .proofs dt { min-width: 130px; } .facts dt { min-width: 230px; color: var(--muted); } .proofs dd, .facts dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
.bot-head { display: flex; flex-wrap: wrap; align-items: baseline; gap: 6px 14px; margin-top: 22px; } .lead { margin: 8px 0 0; color: var(--muted); max-width: 110ch; overflow-wrap: anywhere; } .lead b { color: var(--ink); } .why { color: var(--ink); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 1px; margin: 16px 0 0; background: var(--rule); border: 1px solid var(--rule); border-radius: 8px; overflow: hidden; } .tile { background: var(--card); padding: 10px 16px 12px; } .tile dt { font-size: 12.5px; color: var(--muted); } .tile dd { margin: 0; font-size: 20px; font-weight: 600; letter-spacing: -0.01em; white-space: nowrap; } .tile small { margin-left: 6px; font-size: 12px; font-weight: 400; color: var(--muted); }
.acts { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 16px; } .act.kill, .act.flatten { border-color: var(--loss); color: var(--loss); font-weight: 600; } .act[aria-disabled=true] { opacity: 0.75; border-style: dashed; }
.tabs { display: flex; gap: 2px; margin-top: 20px; padding-bottom: 6px; border-bottom: 1px solid var(--rule); overflow-x: auto; } .tabs a { white-space: nowrap; }
.attention { margin: 0; padding: 0; list-style: none; } .attention li { padding: 8px 14px; border-left: 4px solid var(--warn); background: var(--card); margin-bottom: 6px; overflow-wrap: anywhere; }
.steps, .log { margin: 8px 0; padding: 0; list-style: none; } .steps li, .log li { display: grid; grid-template-columns: 150px 130px minmax(0, 1fr); gap: 12px; padding: 4px 0; } .steps time, .log time { color: var(--muted); } .steps b { font-weight: 600; } .steps span, .log span { overflow-wrap: anywhere; }
.log { max-height: 70vh; overflow-y: auto; padding: 8px 14px; background: var(--card); border: 1px solid var(--rule); border-radius: 8px; font-size: 13px; } .log li { grid-template-columns: 150px 50px minmax(0, 1fr); } .log b { font-weight: 400; color: var(--muted); } .level-warn b { color: var(--warn); font-weight: 600; } :is(.level-error, .level-fatal) b { color: var(--loss); font-weight: 600; }
.life { padding: 2px 8px 10px; } .choice { display: inline-flex; align-items: center; gap: 8px; } .sum { margin: 0 0 8px; } .order-unknown, .order-vanished { color: var(--warn); font-weight: 600; } .order-rejected { color: var(--loss); }
.outside { max-width: 460px; margin: 10vh auto 0; } .login { display: grid; gap: 8px; margin-top: 14px; max-width: 460px; } .login label { font-weight: 600; } .login button { justify-self: start; }
dialog { width: min(560px, calc(100vw - 24px)); max-height: calc(100vh - 24px); overflow-y: auto; border: 1px solid var(--rule); border-radius: 10px; background: var(--card); color: var(--ink); padding: 20px 24px; } dialog::backdrop { background: rgba(10, 15, 17, 0.55); } dialog p { margin: 8px 0; overflow-wrap: anywhere; } .effect { font-size: 15px; } .bot-line { color: var(--muted); font-size: 13px; } .field { display: grid; gap: 4px; margin-top: 12px; } .choices { display: flex; justify-content: flex-end; flex-wrap: wrap; gap: 8px; margin-top: 18px; } .outcome { padding: 4px 14px; margin: 10px 0; border-left: 4px solid var(--tone); background: var(--paper); } .outcome b { color: var(--tone); }
.curve { background: var(--card); border: 1px solid var(--rule); border-radius: 8px; padding: 10px 8px 4px; overflow: hidden; }
/* uPlot's own sheet, as far as these curves need it. */
.uplot, .uplot *, .uplot *::before, .uplot *::after { box-sizing: border-box; } .uplot { font-family: inherit; line-height: 1.5; width: min-content; } .u-wrap { position: relative; user-select: none; } .u-over, .u-under { position: absolute; } .u-under { overflow: hidden; } .uplot canvas { display: block; position: relative; width: 100%; height: 100%; } .u-axis { position: absolute; } .u-legend { font-size: 13px; margin: 4px 8px; width: auto; } .u-inline { display: block; } .u-inline tr { display: inline-block; margin-right: 20px; } .u-legend :is(th, td) { border: 0 !important; padding: 2px 4px; font-size: 13px; background: none !important; } .u-inline th::after { content: ':'; } .u-marker { display: none; } .u-series > * { vertical-align: middle; } .u-label { display: inline-block; } .u-select { background: var(--accent-soft); position: absolute; pointer-events: none; } .u-cursor-x, .u-cursor-y { position: absolute; left: 0; top: 0; pointer-events: none; will-change: transform; } .u-hz .u-cursor-x { height: 100%; border-right: 1px dashed var(--muted); } .u-hz .u-cursor-y { width: 100%; border-bottom: 1px dashed var(--muted); } .u-cursor-pt { position: absolute; top: 0; left: 0; border-radius: 50%; border: 0 solid; pointer-events: none; will-change: transform; background-clip: padding-box !important; } .u-axis.u-off, .u-select.u-off, .u-cursor-x.u-off, .u-cursor-y.u-off, .u-cursor-pt.u-off { display: none; }
@media (max-width: 760px) {
  header, main, footer { padding-left: 14px; padding-right: 14px; } header nav { order: 3; width: 100%; overflow-x: auto; } .switches { gap: 4px 6px; } h1 { font-size: 25px; }
  .switches button { padding: 3px 7px; }
  .total { width: 100%; justify-content: space-between; gap: 12px; } .big { font-size: 19px; } .tiles { grid-template-columns: 1fr 1fr; } .tile { padding: 8px 12px 10px; } .tile dd { font-size: 17px; }
  .cards { background: none; border: 0; overflow: visible; } .cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .cards tbody { display: grid; gap: 10px; } .cards tbody tr { display: grid; grid-template-columns: 1fr 1fr; gap: 2px 14px; padding: 10px 14px; background: var(--card); border: 1px solid var(--rule); border-radius: 8px; }
  .cards tbody tr:hover td { background: none; } .cards tbody td { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0 8px; padding: 3px 0; border: 0 !important; text-align: right; white-space: normal; min-width: 0; } .cards td::before { content: attr(data-label); color: var(--muted); font-size: 12px; }
  .cards td:nth-child(1)::before, .cards td:nth-child(2)::before, .cards td:nth-child(10)::before { content: none; } .cards td:nth-child(1) { font-size: 16px; } .cards td:nth-child(2) { justify-content: flex-end; } .cards td:nth-child(10) { grid-column: 1 / -1; text-align: left; } .cards td:has(> .cell:empty) { display: none; } .cards td:nth-child(7) { grid-column: 1 / -1; } .held { display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 0 14px; } .of-desk { display: none; }
  .steps li, .log li { grid-template-columns: minmax(0, 1fr); gap: 0; border-bottom: 1px solid var(--rule); } .facts > div { flex-direction: column; gap: 0; padding: 5px 0; } .facts dt, .proofs dt { min-width: 110px; }
  dialog { padding: 16px; }
}
`;
