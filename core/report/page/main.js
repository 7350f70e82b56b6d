/* The page: head, sources, the chosen one; and what the address says. */
const RANK = ["error", "fail", "warn", "pass"], rank = v => RANK.indexOf(v);
function sentence(n) { /* of a source, in the words of the stage that made its verdict */
	const s = all[n];
	if (s.error) return "could not be read: " + s.error.message;
	const list = R.stages.map(stage => [stage.name, toldOf(stage, n)]).filter(x => x[1] && x[1].verdict).sort((a, b) => rank(a[1].verdict) - rank(b[1].verdict)), [name, t] = list[0] || [];
	if (s.doubts.length && !(t && t.verdict === s.verdict)) return s.doubts[0].message;
	if (!t) return R.stages.some(x => toldOf(x, n)) ? "nothing was judged" : "what was found here is left out of the page";
	if (t.error) return name + " could not be done: " + t.error;
	const worst = t.checks.find(c => c.result === t.verdict && c.why), isOverlap = name === "overlap-verify";
	if (isOverlap && t.verdict === "pass") return "no overlap: " + plural(t.metrics.device_events || 0, "device event") + " on " + plural(t.metrics.tracks || 0, wordOf(n)) + " run one at a time";
	return t.headlines.length && (isOverlap || t.verdict === "pass") ? t.headlines[0].text : worst ? worst.why : "";
}
function mix(n) { /* how the time of its devices is used */
	const t = told("wall-time", n), m = t && t.metrics, P = all[n].picture, sum = f => P.devices.reduce((a, d) => a + f(d), 0);
	if (m && m.window_ns) return {whole: m.window_ns, idle: m.idle_ns, exposed: m.exposed_communication_ns};
	return P && P.devices.length ? {whole: sum(d => d.to - d.from), idle: sum(d => d.at_once[0]), exposed: null} : {whole: null, idle: null, exposed: null};
}
const busy = m => part(m.whole - m.idle, m.whole), fact = (n, id) => all[n].facts ? all[n].facts[id] : null;
function card(n) {
	const s = all[n], m = mix(n);
	return set(button([h("span", "row", word(s.verdict), grow(), soft(n >= sources.length ? "baseline" : fact(n, "rank") !== null ? "rank " + fact(n, "rank") : s.dialect)), h("span", "name", base(s.path)), h("span", "why", sentence(n)), miniature(n, 20), m.whole && soft("busy " + busy(m) + " of " + time(m.whole))], () => choose(n), "source"), {title: s.path});
}
function manySources(order) {
	const rows = order.map(n => {
		const m = mix(n);
		return {n, rank: fact(n, "rank"), device_events: fact(n, "device_events"), overlaps: metric(n, "overlaps"), busy_pct: m.whole && 100 * (1 - m.idle / m.whole), exposed_pct: m.exposed === null ? null : 100 * m.exposed / m.whole};
	});
	const t = table("Traces", [{title: "trace", cls: "long", cell: r => base(all[r.n].path), tip: r => all[r.n].path}, {title: "verdict", key: r => "" + rank(all[r.n].verdict), cell: r => word(all[r.n].verdict), tip: r => sentence(r.n)}, ...cols("rank device_events overlaps busy_pct exposed_pct=exposed_comm.").filter(c => rows.some(r => c.key(r) !== null)),
		order.some(n => all[n].picture) && barCol("over time", r => miniature(r.n, 16))], rows, {pick: r => choose(r.n), tall: true, most: 64, words: "Filter: name, verdict", filled: () => requestAnimationFrame(repaint)});
	return Object.assign(section("Traces", "failing ones first; a click shows one below", t), {mark: n => t.mark(rows.find(r => r.n === n))});
}
function numbers(n) {
	const w = wordOf(n), m = mix(n), tracks = metric(n, "tracks") || (all[n].picture ? all[n].picture.tracks.length : 0), over = metric(n, "overlaps"), twice = metric(n, "overlap_ns");
	return h("dl", "numbers", [[count(fact(n, "device_events")), "device events" + (tracks ? " on " + plural(tracks, w) : "")], over !== null && [count(over), "overlaps", over], twice !== null && [twice ? time(twice) : "0", "of " + w + " time used twice", twice],
		m.whole && [busy(m), "busy, of " + time(m.whole)], m.whole && [m.idle ? time(m.idle) : "0", "idle"], m.exposed !== null && [m.exposed ? time(m.exposed) : "0", "communication exposed"]].filter(Boolean).map(([v, text, isBad]) => h("div", "", h("dt", "", text), h("dd", isBad ? "bad" : "", v))));
}
function noPicture(s) {
	const e = s.error;
	if (e) return section("It could not be read", null, p("error", e.message), e.line && p("soft", "line " + count(e.line) + ", column " + count(e.column) + ", byte " + count(e.offset)), e.excerpt && h("pre", "", h("div", "", e.excerpt), e.caret !== null && h("div", "bad", "\u00a0".repeat(min(400, e.caret)) + "^")));
	return section("Timeline of the device", null, p("soft", s.facts && !s.facts.device_events ? "There is no device work in this trace, so there is nothing to draw." : "No picture came with these results, or the device work has no length."));
}
let timeline = null, list = null, now = -1, many = null, theme = "", saving = 0;
const cards = [], place = h("div");
function choose(n, f) {
	const s = all[n], findings = findingsOf(n), times = d => d.message + (d.count > 1 ? " (" + count(d.count) + " times)" : "");
	now = n;
	shown.clear();
	cards.forEach((c, i) => set(c, {"aria-pressed": i === n}));
	if (many) many.mark(n);
	list = findings.length ? Findings(n, findings, x => pick(x, true)) : null;
	timeline = modelOf(n) ? Timeline(n, findings, {pick, save, next}) : null;
	const head = section(base(s.path), some(s.form && s.form + (s.gzip ? " in gzip" : ""), s.events !== null && plural(s.events, "event"), s.dialect && "dialect " + s.dialect, fact(n, "rank") !== null && "rank " + fact(n, "rank"), n >= sources.length && "baseline").join(", "), sources.length > 1 && !s.error && p("", sentence(n)),
		sayings([...s.doubts.map(d => ["warning", d.message]), ...found(n, true), ...s.repairs.map(d => ["warning", "repaired: " + times(d)]), ...s.warnings.map(d => ["note", times(d)])]), s.facts && numbers(n));
	head.querySelector("h2").prepend(word(s.verdict), " ");
	place.replaceChildren(...some(head, questions(n), comparison(n), timeline || noPicture(s), list, charts(n), wallTime(n), kernels(n), opportunities(n), others(n), checks(n)));
	repaint();
	if (list) pick(list.find(f));
	else save();
}
function pick(f, byHand) {
	list.choose(f);
	if (timeline) timeline.show(f);
	save();
	if (byHand) say(f.title + ": " + f.names.map(short).join(", "));
}
const next = by => list && pick(list.next(by), true);

/* The address, #run=0&f=STAGE/ID/NUMBER&at=FROM~TO&theme=dark, is the only state that this page keeps. */
function save() {
	clearTimeout(saving);
	saving = setTimeout(() => {
		const text = "#" + some("run=" + now, list && "f=" + list.chosen.place, timeline && timeline.span() && "at=" + timeline.span(), theme && "theme=" + theme).join("&");
		if (text !== location.hash) history.replaceState(null, "", text);
	}, 250);
}
function follow() {
	const get = k => (new RegExp("[#&]" + k + "=([^&]*)").exec(location.hash) || [])[1], n = get("run"), at = /^(-?\d+)~(-?\d+)$/.exec(get("at"));
	if (/^(dark|light)$/.test(get("theme"))) setTheme(get("theme"));
	if (!/^\d+$/.test(n) || !all[n]) return false;
	if (+n !== now) choose(+n, get("f"));
	else if (list) pick(list.find(get("f")));
	if (at && timeline) timeline.view(+at[1], +at[2]);
	return true;
}
const isDark = matchMedia("(prefers-color-scheme: dark)");
function setTheme(t) {
	theme = t;
	root.dataset.theme = t || (isDark.matches ? "dark" : "light");
	repaint();
}
function onkey(ev) {
	if (ev.ctrlKey || ev.metaKey || ev.altKey) return;
	if (/INPUT|SELECT/.test(ev.target.tagName)) { if (ev.key === "Escape") ev.target.blur(); return; }
	if (ev.key === "n") next(1);
	else if (ev.key === "p") next(-1);
	else if (ev.key === "/" && list) list.input.focus();
	else if (!timeline || !timeline.key(ev)) return;
	ev.preventDefault();
}
function headline() { /* what somebody should know who reads one line */
	if (R.error) return R.error;
	if (sources.length === 1) return sentence(0);
	const how = v => sources.filter(s => s.verdict === v).length, bad = how("fail") + how("error"), run = found(-1).find(x => /error|warn/.test(x[0])), of = " of " + plural(sources.length, "trace");
	return (bad ? bad + of + " fail" + (how("error") ? " (" + how("error") + " could not be read)" : "") : how("warn") ? how("warn") + of + " to look at" : "all " + plural(sources.length, "trace") + " pass") + (run ? "; " + run[1] : "");
}
function start() {
	const text = headline(), names = sources.length === 1 ? base(sources[0].path) : plural(sources.length, "trace"), order = sources.map((s, i) => i).sort((a, b) => rank(sources[a].verdict) - rank(sources[b].verdict) || a - b).concat(R.baselines.map((s, i) => sources.length + i));
	const main = set(h("main"), {tabindex: -1, id: "main"}), skip = set(h("a", "skip-link", "To the results"), {href: "#main"}), tip = set(h("div"), {id: "tip", "aria-hidden": "true", hidden: ""});
	skip.onclick = ev => { ev.preventDefault(); main.focus(); };
	document.title = vis(R.verdict.toUpperCase() + ": " + names + " - tav");
	plain.remove();
	page.prepend(skip, h("header", "", h("div", "row", h("span", "logo", "tav"), h("div", "grow", h("h1", "", word(R.verdict), " ", text[0].toUpperCase() + text.slice(1)), p("soft small", names + ", checked with " + (R.stages.length > 3 && R.pipeline ? base(R.pipeline).replace(/\.ya?ml$/, "") + " (" + plural(R.stages.length, "stage") + ")" : R.stages.map(s => s.id).join(", ")) + (R.stages.some(s => s.name === "overlap-verify") ? ". Each " + wordOf(0) + " of a device should run one thing at a time." : ""))), button("Light or dark", () => { setTheme(root.dataset.theme === "dark" ? "light" : "dark"); save(); }))), main, tip, voice);
	setTheme("");
	const on = addEventListener;
	let last = [];
	if (all.length > 1) {
		const said = sayings([...found(-1), ...R.stages.flatMap(s => /^(answers|collectives|wall-time)$/.test(s.name) ? [] : s.headlines.map(x => ["", x.text]))]);
		many = all.length > 8 ? manySources(order) : null;
		order.forEach(n => { if (!many) cards[n] = card(n); });
		main.append(...some(said && section("All traces together", null, said), many || named(h("section", "sources", order.map(n => cards[n])), "Traces"), questions(-1), ranks()));
		last = some(others(-1), checks(-1));
	}
	main.append(place, ...last);
	page.append(h("footer", "", p("", "tav " + value(R.tool.version) + ", " + value(R.pipeline) + (R.part ? ", part " + R.part.k + " of " + R.part.n : "") + ". Times count from the first event of each trace. " + (D.anonymous ? "Paths are shortened. " : "") + "This file asks nothing of any network."), D.cut.map(c => p("", c.why))));
	if (!follow() && all.length) choose(order[0]);
	on("hashchange", follow);
	on("keydown", onkey);
	on("resize", repaint);
	on("wheel", ev => timeline && timeline.wheel(ev), {passive: true});
	isDark.onchange = () => { if (!theme) setTheme(""); };
	on("beforeprint", () => {
		root.dataset.theme = "light";
		document.querySelectorAll("details").forEach(d => { if (d.ontoggle) d.ontoggle(); d.open = true; });
		repaint();
	});
	on("afterprint", () => setTheme(theme));
}
try { start(); } catch (e) { /* what the host wrote shall stand */
	page.replaceChildren(plain);
	plain.style.visibility = "visible";
	throw e;
}
