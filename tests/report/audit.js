// SPDX-License-Identifier: Apache-2.0
// What is wrong with a page for somebody who cannot see well, or uses no mouse: a list of sentences.
(() => {
	const wrong = [], seen = e => { const r = e.getBoundingClientRect(), s = getComputedStyle(e); return r.width > 1 && r.height > 1 && s.visibility === "visible"; };
	const luminance = c => c.map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((a, v, i) => a + v * [.2126, .7152, .0722][i], 0);
	const parse = text => { const n = text.match(/[\d.]+/g).map(Number); return text.startsWith("color(srgb") ? n.slice(0, 3).map(v => v * 255).concat(n.length > 3 ? n[3] : 1) : n.length > 3 ? n : n.concat(1); };
	const ground = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > .99) return c.slice(0, 3); } return [255, 255, 255]; };
	let least = 99, texts = 0;
	for (const e of document.querySelectorAll("#page *")) {
		if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !seen(e) || e.closest(".away,[hidden]")) continue;
		const a = luminance(parse(getComputedStyle(e).color).slice(0, 3)), b = luminance(ground(e)), ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		texts++;
		if (ratio < least) least = ratio;
		if (ratio < 4.5 && wrong.length < 10) wrong.push("contrast " + ratio.toFixed(2) + ": " + e.className + " " + e.textContent.slice(0, 40));
	}
	const name = e => (e.getAttribute("aria-label") || e.textContent || e.getAttribute("placeholder") || "").trim();
	for (const e of document.querySelectorAll("button,input,select,a,[role=application],[role=img]")) if (seen(e) && !name(e)) wrong.push("no name: " + e.outerHTML.slice(0, 90));
	for (const e of document.querySelectorAll("canvas")) if (!e.getAttribute("aria-label") && e.getAttribute("aria-hidden") !== "true") wrong.push("a canvas without words");
	let before = 0;
	for (const e of document.querySelectorAll("h1,h2,h3,h4")) { const n = +e.tagName[1]; if (n > before + 1) wrong.push("heading " + e.textContent + " skips a level"); before = n; }
	if (document.querySelectorAll("h1").length !== 1) wrong.push("not one h1");
	for (const tag of ["header", "main", "footer"]) if (document.querySelectorAll(tag).length !== 1) wrong.push("not one " + tag);
	for (const e of document.querySelectorAll("table")) if (!e.caption || [...e.tHead.rows[0].cells].some(c => c.scope !== "col")) wrong.push("a table without caption or scopes");
	const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
	if (new Set(ids).size !== ids.length) wrong.push("an id twice");
	for (const e of document.querySelectorAll("[aria-labelledby]")) if (!document.getElementById(e.getAttribute("aria-labelledby"))) wrong.push("a label that is not there");
	if (document.documentElement.scrollWidth > innerWidth) wrong.push("wider than the window: " + document.documentElement.scrollWidth);
	return {wrong, least, texts};
})()
