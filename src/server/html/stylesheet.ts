/** The colours, light and dark; every ink keeps a contrast of 4.5 on both grounds (tested). */
export const palette = {
  bg: ['#fbfbf9', '#14171b'],
  card: ['#ffffff', '#1b1f25'],
  ink: ['#1c2430', '#e6e9ee'],
  soft: ['#5d6876', '#98a3b1'],
  line: ['#e3e5e3', '#2b313a'],
  accent: ['#1f6f8b', '#6ec1de'],
  ok: ['#2f7d4f', '#6fcf97'],
  warn: ['#9a5b07', '#f0b35e'],
} as const;

/** The palette as custom properties. */
export const variables = Object.entries(palette)
  .map(([name, [light, dark]]) => `--${name}:light-dark(${light},${dark})`)
  .join(';');

/** One for all pages, inline: its hash is in the Content-Security-Policy. */
export const stylesheet = `
:root{color-scheme:light dark;${variables}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
header,main,footer{max-width:70rem;margin:0 auto;padding:0 1.25rem}
header{display:flex;align-items:baseline;gap:1rem;padding-block:1.4rem .6rem}
footer{padding-block:2rem 2.5rem;font-size:.87em}
h1{font-size:1.35rem;line-height:1.3;margin:.6rem 0}
h2{font-size:.8rem;letter-spacing:.06em;text-transform:uppercase;color:var(--soft);margin:1.8rem 0 .6rem;font-weight:600}
h3{font-size:1rem;margin:1.2rem 0 .5rem}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:3px}
a:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:2px}
.name{color:var(--ink);font-weight:600;text-decoration:none}
.grow{flex:1}.soft{color:var(--soft)}.mono,pre,code{font-family:ui-monospace,monospace;font-size:.87em}
.row{display:flex;gap:.7rem;align-items:baseline}
.s{white-space:nowrap}.s::before{content:"●";margin-right:.4em;font-size:.7em;vertical-align:.12em}
.ok{color:var(--ok)}.warn{color:var(--warn)}.warn.s::before{content:"▲"}
.flow{display:grid;grid-template-columns:repeat(4,1fr);border:1px solid var(--line);border-radius:10px;background:var(--card)}
.flow>div{padding:.9rem 1.1rem;border-left:1px solid var(--line);position:relative}
.flow>div:first-child{border-left:0}
.flow>div+div::before{content:"→";position:absolute;left:-.52em;top:50%;translate:0 -50%;background:var(--card);color:var(--soft);line-height:1}
.flow b{display:block;font-size:1.5rem;font-weight:600;line-height:1.25}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(24rem,100%),1fr));gap:.9rem}
.card,pre,table{background:var(--card);border:1px solid var(--line);border-radius:10px}
.card,pre{padding:1rem 1.1rem}.card p{margin:.2rem 0 0}pre{margin:0 0 .9rem;white-space:pre-wrap}
dl{display:grid;grid-template-columns:auto 1fr;gap:.1rem .9rem;margin:.6rem 0 0}dt{color:var(--soft)}dd{margin:0}
table{width:100%;border-collapse:separate;border-spacing:0}
th,td{text-align:left;padding:.5rem .9rem;border-top:1px solid var(--line);vertical-align:baseline}
th{border:0;color:var(--soft);font-weight:500;font-size:.87em}
td.n,th.n{text-align:right;white-space:nowrap}
td,th{overflow-wrap:normal}td.any,td .mono{overflow-wrap:anywhere}td.any{min-width:8rem}td time{white-space:nowrap}
.scroll{overflow-x:auto}.scroll table{min-width:min-content}
:lang(ja){word-break:auto-phrase}em:lang(ja),i:lang(ja){font-style:normal}
ul{padding-left:1.2rem}
nav a+a{margin-left:1rem}
.search p{margin:.6rem 0}.field{display:inline-block;margin:0 .6rem .4rem 0}
input,select,button{font:inherit;color:inherit;background:var(--card);border:1px solid var(--soft);border-radius:7px;padding:.3rem .6rem;min-height:2rem;max-width:100%}
input[type=search]{width:24rem}button{cursor:pointer}
input:focus-visible,select:focus-visible,button:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.items{list-style:none;padding:0}.items li{padding:.5rem 0;border-top:1px solid var(--line)}
.moments{list-style:none;margin:.6rem 0;padding:0 0 0 1.1rem;border-left:2px solid var(--line)}
.moments li{position:relative;padding:.25rem 0}
.moments li::before{content:"";position:absolute;left:-1.47rem;top:.75rem;width:.6rem;height:.6rem;border:2px solid var(--accent);border-radius:50%;background:var(--bg)}
@media(max-width:44rem){
.flow{grid-template-columns:1fr 1fr}.flow>div:nth-child(3){border-left:0}.flow>div+div::before{content:none}
.flow>div:nth-child(n+3){border-top:1px solid var(--line)}
.wide{display:none}
th,td{padding:.4rem .45rem}header,main,footer{padding-inline:.9rem}header{flex-wrap:wrap;row-gap:.2rem}
header .grow{flex-basis:0}td .soft{display:block}
}
`;
