// The page's style sheet: inline, so that nothing else is fetched, and allowed by its hash in the Content-Security-Policy.

export const styleSheet = `
:root{color-scheme:light dark;--ink:#1c2126;--soft:#57606a;--line:#d5dbe1;--ground:#fff;--panel:#f5f7f9;--hatch:#e9edf1;
--good:#116329;--bad:#b3261e;--warn:#7a4b00;--link:#0b57d0;--badground:#fdf1f0;--warnground:#fdf6e7}
@media(prefers-color-scheme:dark){:root{--ink:#e3e8ed;--soft:#a1acb8;--line:#353c45;--ground:#12161a;--panel:#1a1f25;--hatch:#262d35;
--good:#62cb80;--bad:#ff938a;--warn:#e8b85c;--link:#8ab4f8;--badground:#2a1a1b;--warnground:#29220f}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:70rem;padding:.75rem clamp(.8rem,3vw,2rem) 2rem;background:var(--ground);color:var(--ink);
font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;overflow-wrap:anywhere}
h1,h2,h3,h4,p{line-height:1.3;margin:0}
a{color:var(--link)}
small{font-size:.85em}td small{display:block}
header{display:flex;flex-wrap:wrap;gap:.1rem 1rem;align-items:baseline;justify-content:space-between}
h1{font-size:.95rem;font-weight:600}h1 a{color:var(--soft);text-decoration:none}
.asof{font-size:.85rem;color:var(--soft);font-variant-numeric:tabular-nums}
#lead{flex-basis:100%;font-size:1.45rem;font-weight:650;margin:.35rem 0 .25rem}
#lead.bad{color:var(--bad)}#lead.warn{color:var(--warn)}
#lost{flex-basis:100%}
#lost:not(:empty){padding:.6rem .8rem;margin:.4rem 0;border-radius:.4rem;font-weight:650;background:var(--bad);color:var(--ground)}
[data-live=yes] #live::before{content:"";display:inline-block;width:.5rem;height:.5rem;border-radius:50%;background:var(--good);margin-right:.35rem}
[data-live=no] main{border:.2rem dashed var(--bad);padding:0 .6rem .6rem;filter:grayscale(.7)}
h2{font-size:1.15rem}h2 .mark{font-size:.8em;margin-left:.4rem}
h3{font-size:.85rem;font-weight:600;color:var(--soft);text-transform:uppercase;letter-spacing:.04em;margin:1.25rem 0 .35rem}
.target{margin-top:1rem;padding-top:1rem;border-top:1px solid var(--line)}
header+main>.target:first-child{border-top:0;padding-top:0}
.soft,dt,th,.meta,.fields{color:var(--soft)}
.mark{font-weight:650;white-space:nowrap}
.mark.good{color:var(--good)}.mark.bad{color:var(--bad)}.mark.warn{color:var(--warn)}.mark.none{color:var(--soft)}
.note{font-weight:600;margin:.35rem 0}.note.warn{color:var(--warn)}.note.bad{color:var(--bad)}
.alarm{margin:.5rem 0;padding:.6rem .8rem;border-radius:.4rem;background:var(--bad);color:var(--ground)}
.num,.meta,time{font-variant-numeric:tabular-nums}
table{width:100%;border-collapse:collapse;margin:.4rem 0 0}
th,td{text-align:left;vertical-align:baseline;padding:.3rem .9rem .3rem 0;border-top:1px solid var(--line)}
thead th{font-size:.8rem;font-weight:500;border-top:0;padding-bottom:.1rem}
tbody th{color:var(--ink);font-weight:600}
.conditions th:first-child,.fleet th:first-child{padding-left:.7rem}
.conditions tbody tr>:first-child{box-shadow:inset .25rem 0 var(--line)}
.conditions tr.bad>:first-child{box-shadow:inset .25rem 0 var(--bad)}
.conditions tr.warn>:first-child{box-shadow:inset .25rem 0 var(--warn)}
.conditions tr.good>:first-child{box-shadow:inset .25rem 0 var(--good)}
.why{width:50%}
.message{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
.indexes .num{text-align:right}
.old{background:repeating-linear-gradient(-45deg,transparent 0 .5rem,var(--hatch) .5rem 1rem)}
.checks{list-style:none;margin:0;padding:0;display:grid;gap:.5rem}
.checks li{padding:.55rem .8rem;border-left:.25rem solid var(--bad);border-radius:.3rem;background-color:var(--badground)}
.checks li.warn{border-color:var(--warn);background-color:var(--warnground)}
h4{font-size:1rem}
.name{unicode-bidi:isolate}
.error{color:var(--bad);white-space:pre-wrap;unicode-bidi:isolate;margin:.2rem 0}
.meta,.fields{font-size:.87rem;display:flex;flex-wrap:wrap;gap:0 .9rem;margin:.15rem 0 0}
.meta b,.fields b{font-weight:550;color:var(--ink)}
.fields{unicode-bidi:isolate}td .fields{margin:0}
.strip{max-width:40rem;margin:.4rem 0 .1rem;color:var(--soft);font-size:.8rem}
.strip svg{display:block;width:100%;height:.8rem;border-bottom:1px solid var(--line)}
.ends{display:flex;justify-content:space-between;gap:.6rem}
.says .strip{max-width:24rem}
.failing{fill:var(--bad)}.passing{fill:var(--good)}.unknown{fill:var(--soft)}
.changes{margin:.3rem 0;padding:0;list-style:none;font-size:.9rem}.changes li{padding:.1rem 0}
.changes .num{display:inline-block;min-width:8.5rem;color:var(--soft)}.ill{color:var(--bad);font-weight:600}.said{unicode-bidi:isolate}
summary{cursor:pointer;margin-top:.5rem;color:var(--link);width:max-content}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(12.5rem,1fr));gap:.5rem 1.5rem;margin:1.25rem 0 0;padding:.6rem .8rem;background:var(--panel);border-radius:.3rem}
dt{font-size:.8rem}dd{margin:0}.wide{grid-column:span 2}
form{margin-top:.7rem}
input,button{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--soft);border-radius:.3rem;padding:.2rem .6rem}
footer{margin-top:2rem;padding-top:.7rem;border-top:1px solid var(--line);font-size:.85rem;color:var(--soft)}
footer a{margin-right:.9rem}
@media(min-width:40.01rem){
td.num,thead th{white-space:nowrap}
.conditions th:first-child{min-width:6.5rem}.others th{min-width:8rem}.fleet th{min-width:11rem}
}
@media(max-width:40rem){
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table,tbody{display:block}
tbody tr{display:flex;flex-wrap:wrap;gap:0 .8rem;padding:.35rem 0 .35rem .7rem;border-top:1px solid var(--line)}
th,td,.indexes .num{border:0;padding:0;text-align:left}
.conditions th:first-child,.fleet th:first-child{padding:0}
.conditions tbody tr>:first-child{box-shadow:none!important}
.conditions tbody tr{box-shadow:inset .25rem 0 var(--line)}
.conditions tbody tr.bad{box-shadow:inset .25rem 0 var(--bad)}.conditions tbody tr.warn{box-shadow:inset .25rem 0 var(--warn)}.conditions tbody tr.good{box-shadow:inset .25rem 0 var(--good)}
.indexes tr,.others tr{padding-left:0!important}
.nil{display:none}
dl{display:block}dl div{display:flex;gap:.6rem;padding:.1rem 0}dt{flex:0 0 7.5rem}
.why,.says{flex-basis:100%;width:auto}
td[data-label]::before{content:attr(data-label) " ";color:var(--soft);font-size:.85rem}
}`;
