// SPDX-License-Identifier: MIT
// Drawing parts: each takes objects of the API (BAY, LINK, ...) and returns a node. Lengths go into SVG attributes,
// so that everything holds under a policy without inline style.

import {h, s, known, VERDICTS, gbs, month, shortDay, age, day, secondsSince} from './dom.js'

// ---- the state mark: one silhouette for each verdict, told apart in grey at 11 px ----

const fill = d => s('path', {class: 'fill', d}), cut = d => s('path', {class: 'cut', d}), line = d => s('path', {class: 'line', d})
const octagon = () => fill('M5 .8h6l4.2 4.2v6L11 15.2H5L.8 11V5Z'), diamond = () => fill('M8 .5 15.5 8 8 15.5.5 8Z')
const triangle = () => [fill('M8 1 15.6 14.6H.4Z'), cut('M8 5.6v4.2M8 11.4v1.4')]
const ring = () => s('circle', {class: 'line', cx: 8, cy: 8, r: 6.2})
const MARKS = {
	'ok': () => s('circle', {class: 'fill', cx: 8, cy: 8, r: 5}),
	'degraded-speed': () => [diamond(), cut('M4.7 6.5 8 9.9l3.3-3.4')],
	'degraded-width': () => [diamond(), cut('M6.2 5.4v5.2M9.8 5.4v5.2')],
	'degraded-both': () => [octagon(), cut('M5 5l6 6M11 5l-6 6')],
	'below-policy': triangle,
	'drive-limited': () => [line('M3 5.2v8.3h10V5.2'), fill('M.8 2h14.4v3H.8Z')],
	'power-saving': () => fill('M10.2 1.4A6.8 6.8 0 1 0 14.6 10 5.6 5.6 0 0 1 10.2 1.4Z'),
	'unknown': () => [s('rect', {class: 'line', x: 1.8, y: 1.8, width: 12.4, height: 12.4, rx: 1}), line('M5.8 6.3c0-3 4.4-3 4.4-.3 0 1.7-2.2 1.7-2.2 3.4M8 11.3v1.3')],
	'absent': () => s('rect', {class: 'line dash', x: 2.2, y: 2.2, width: 11.6, height: 11.6, rx: 1.5}),
	'unreachable': () => [ring(), line('M3.6 12.4 12.4 3.6')],
	'not-applicable': () => line('M3 8h10'),
	'info': () => [ring(), line('M8 7.2v4.2M8 4.4v1.2')],
	'warning': triangle,
	'critical': () => [octagon(), cut('M8 4v5M8 10.7v1.6')],
	'stale': () => [ring(), line('M8 4.4V8l2.6 1.6')],
}
export const mark = name => s('svg', {class: `mark v-${name}`, viewBox: '0 0 16 16', 'aria-hidden': 'true'}, (MARKS[name] ?? MARKS.unknown)())
export const also = () => { const m = mark('warning'); m.classList.add('also'); return m }	// something else than the link wants attention
export const state = (name, text = name) => h('span', {class: `state v-${name}`}, mark(name), h('span', {}, text))

// ---- the lane gauge: a tube for each lane; the filled area is the share of the bandwidth ----

// What the place should carry, and what drive and slot can: the frame and its limits.
function frameOf(bay) {
	const l = bay.link, p = bay.policy
	const speed = Math.max(p?.speed_gts ?? 0, l.max_speed_gts ?? 0, l.slot?.max_speed_gts ?? 0) || l.speed_gts || 32
	const width = Math.max(p?.width ?? 0, l.slot?.max_width ?? 0, l.width ?? 0) || 4
	return {speed, width, reach: Math.min(l.max_speed_gts ?? speed, l.slot?.max_speed_gts ?? speed),
		reachWidth: Math.min(l.max_width ?? width, l.slot?.max_width ?? width)}
}

export function lanes(bay, {w = 38, hgt = 40, stretch = false} = {}) {
	const l = bay.link
	const svg = s('svg', {class: 'lanes', viewBox: `0 0 ${w} ${hgt}`, preserveAspectRatio: stretch ? 'none' : null, 'aria-hidden': 'true'})
	if (!l || bay.verdict === 'absent') return svg
	const f = frameOf(bay), gap = f.width > 4 ? 1 : w > 50 ? 4 : 3, tube = (w - gap * (f.width - 1) - 2) / f.width, full = hgt - 2
	for (let i = 0; i < f.width; i++) {
		const x = 1 + i * (tube + gap)
		if (!known(l.speed_gts) || !known(l.width)) {
			svg.append(s('rect', {class: 'tube unknown', x, y: 1, width: tube, height: full, rx: 1, fill: 'url(#hatch)'}))
			continue
		}
		const trained = i < l.width, offered = i < f.reachWidth
		svg.append(s('rect', {class: `tube ${offered ? trained ? '' : 'missing' : 'foreign'}`, x, y: 1, width: tube, height: full, rx: 1}))
		if (trained) {
			const height = Math.max(2, full * Math.min(1, l.speed_gts / f.speed))
			svg.append(s('rect', {class: 'fill', x, y: 1 + full - height, width: tube, height, rx: 1}))
		}
		if (offered && f.reach < f.speed)
			svg.append(s('path', {class: 'cap', d: `M${x - 1} ${1 + full - full * f.reach / f.speed}h${tube + 2}`}))
	}
	return svg
}

// ---- bars ----

const wearClass = v => !known(v) ? 'unknown' : v >= 100 ? 'critical' : v >= 80 ? 'warning' : ''
export function wearBar(used, {vertical = false, long = 100, thick = 6} = {}) {
	const [w, hgt] = vertical ? [thick, long] : [long, thick]
	const svg = s('svg', {class: `wear ${vertical ? 'up' : 'along'} ${wearClass(used)}`, viewBox: `0 0 ${w} ${hgt}`, preserveAspectRatio: 'none', 'aria-hidden': 'true'},
		s('rect', {class: 'track', width: w, height: hgt, fill: known(used) ? null : 'url(#hatch)'}))
	if (known(used)) {
		const part = Math.max(1, Math.min(100, used) / 100 * long)
		svg.append(s('rect', vertical ? {class: 'fill', y: long - part, width: thick, height: part} : {class: 'fill', width: part, height: thick}))
	}
	return svg
}

// 20 to 70 °C; beside the wear bar in every tile, so that a row of bays reads as a histogram
export function heatBar(b, long = 100) {
	const t = b.temperature_celsius
	const svg = s('svg', {class: `wear up heat ${b.hot ? 'warning' : ''}`, viewBox: `0 0 6 ${long}`, preserveAspectRatio: 'none', 'aria-hidden': 'true'},
		s('rect', {class: 'track', width: 6, height: long, fill: known(t) ? null : 'url(#hatch)'}))
	if (known(t)) {
		const part = Math.max(1, Math.min(1, (t - 20) / 50) * long)
		svg.append(s('rect', {class: 'fill', y: long - part, width: 6, height: part}))
	}
	return svg
}

// What links carry as trained, of what they would carry if every one were whole.
export function ceilingBar(carries, healthy, lost = 'hatch-bad', peak = null) {
	const top = Math.max(healthy ?? 0, carries), x = v => 1000 * v / top, short = top > carries
	return h('div', {class: 'ceiling'},
		s('svg', {viewBox: '0 0 1000 22', preserveAspectRatio: 'none', role: 'img', 'aria-label': `${gbs(carries)}${short ? ` of ${gbs(top)}` : ''}`},
			s('rect', {class: 'fill', y: 3, width: x(carries), height: 16}),
			short && s('rect', {class: 'lost', x: x(carries), y: 3, width: 1000 - x(carries), height: 16, fill: `url(#${lost})`}),
			known(peak) && s('rect', {class: 'peak', x: Math.max(0, x(Math.min(peak, top)) - 2), y: 0, width: 2, height: 22}),
			s('rect', {class: 'limit', x: x(carries) - 4, y: 0, width: 4, height: 22})),
		h('p', {class: 'scale'}, h('span', {}, h('b', {}, gbs(carries)), short && [' of ', gbs(top)]), short && h('span', {}, `${gbs(top - carries)} out of reach`)))
}

// ---- donut and its legend: the legend is the control, the ring is for the eye ----

export function donut(counts, total, noun, pick) {
	const r = 42, round = 2 * Math.PI * r, parts = VERDICTS.filter(v => counts[v]), gap = parts.length > 1 ? 2.5 : 0
	const floor = 5, used = parts.reduce((sum, v) => sum + Math.max(floor, round * counts[v] / total), 0)
	const svg = s('svg', {class: 'donut', viewBox: '0 0 112 112', 'aria-hidden': 'true'})
	let at = 0
	for (const v of parts) {
		const len = Math.max(floor, round * counts[v] / total) * round / used
		svg.append(s('circle', {class: `arc v-${v}`, cx: 56, cy: 56, r, 'data-verdict': v, 'stroke-dasharray': `${Math.max(1, len - gap)} ${round}`,
			'stroke-dashoffset': -at, transform: 'rotate(-90 56 56)', stroke: v === 'unknown' ? 'url(#hatch-strong)' : null, onclick: () => pick(v)}))
		at += len
	}
	svg.append(s('text', {class: 'total', x: 56, y: 58}, String(total)), s('text', {class: 'noun', x: 56, y: 72}, noun))
	return svg
}
export const legend = (counts, pressed, pick) => h('ul', {class: 'legend'}, VERDICTS.filter(v => counts[v]).map(v =>
	h('li', {}, h('button', {type: 'button', class: `v-${v}`, 'aria-pressed': String(v === pressed), onclick: () => pick(v)}, mark(v), h('span', {}, v), h('b', {}, String(counts[v]))))))

// ---- charts ----

// Draws again at the width it is given, so that its text keeps its size.
export function fit(draw) {
	const box = h('div', {class: 'fit'})
	let drawn = 0
	new ResizeObserver(([e]) => {
		const w = Math.round(e.contentRect.width)
		if (w > 40 && w !== drawn) { drawn = w; box.replaceChildren(draw(w)) }
	}).observe(box)
	return box
}

// lines: [{cls, points: [[t, v or null]]}], band: [[t, low, high]], levels: [{v, cls, text}], flags: [{t, text}]
export function chart({width, height = 150, from, to, max, min = 0, unit, lines, band, levels = [], flags = [], label, ticks = 6, tickText = month}) {
	const L = 56, R = 4, T = 14, B = 22, X = t => L + (width - L - R) * (t - from) / (to - from || 1)
	const Y = v => T + (height - T - B) * (1 - (v - min) / (max - min))
	const svg = s('svg', {class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label})
	for (let i = 0; i <= 4; i++) {
		const v = min + (max - min) * i / 4
		svg.append(s('path', {class: i ? 'grid' : 'axis', d: `M${L} ${Y(v)}H${width - R}`}), s('text', {class: 'ytick', x: L - 6, y: Y(v) + 4}, `${+v.toFixed(1)}${i === 4 ? ' ' + unit : ''}`))
	}
	const n = Math.max(2, Math.min(ticks, Math.floor(width / 90)))
	for (let i = 0; i < n; i++) {
		const t = from + (to - from) * (i + .5) / n
		svg.append(s('text', {class: 'xtick', x: X(t), y: height - 6}, tickText(t)))
	}
	for (const l of levels)
		svg.append(s('path', {class: `level ${l.cls}`, d: `M${L} ${Y(l.v)}H${width - R}`}), s('text', {class: `level-text ${l.cls}`, x: width - R - 2, y: Y(l.v) - 4}, l.text))
	const plot = s('svg', {x: L, y: T, width: width - L - R, height: height - T - B, viewBox: `${L} ${T} ${width - L - R} ${height - T - B}`})	// clips
	if (band) {
		const up = band.map(p => `${X(p[0])} ${Y(p[2])}`), down = [...band].reverse().map(p => `${X(p[0])} ${Y(p[1])}`)
		plot.append(s('path', {class: 'band', d: `M${[...up, ...down].join('L')}Z`}))
	}
	for (const l of lines) plot.append(s('path', {class: `line ${l.cls}`, d: pathOf(l.points, X, Y)}))
	svg.append(plot)
	for (const f of flags) {
		const left = f.left || X(f.t) > width * .6
		svg.append(s('path', {class: 'flag', d: `M${X(f.t)} ${T}V${height - B}`}), s('text', {class: 'flag-text', x: X(f.t) + (left ? -5 : 5), y: T + 10, 'text-anchor': left ? 'end' : 'start'}, f.text))
	}
	return svg
}

// A point that is not known is a gap; one alone between gaps is drawn as a dot.
function pathOf(points, X, Y) {
	let d = '', pen = false
	points.forEach(([t, v], i) => {
		if (!known(v)) { pen = false; return }
		const lone = !pen && !known(points[i + 1]?.[1])
		d += `${pen ? 'L' : 'M'}${X(t).toFixed(1)} ${Y(v).toFixed(1)}${lone ? 'h1.5' : ''}`
		pen = true
	})
	return d
}

// Where readings are missing: before which of these times (ms, rising). Old history is thinner than the polls and its
// steps grow, so a step is held against those beside it and not against the poll interval alone.
export function gapsIn(times, interval) {
	const steps = times.slice(1).map((t, i) => t - times[i]), near = list => [...list].sort((a, b) => a - b)[list.length >> 1] ?? 0
	return new Set(steps.flatMap((step, i) => step > interval * 3.5 && step > 3.5 * Math.max(near(steps.slice(Math.max(0, i - 3), i)), near(steps.slice(i + 1, i + 4))) ? [i + 1] : []))
}
export function withGaps(points, interval) {
	const gaps = gapsIn(points.map(p => p[0]), interval)
	return points.flatMap((p, i) => gaps.has(i) ? [[(points[i - 1][0] + p[0]) / 2, null], p] : [p])
}

// One dot a drive on a common scale: the odd one out is seen before it is read.
export function compare(bays, name, unit, value, url) {
	const have = bays.filter(b => b.drive && known(value(b))), sorted = have.map(value).sort((a, b) => a - b)
	if (!have.length) return h('p', {class: 'sub'}, `${name}: not reported`)
	const lo = sorted[0], hi = sorted.at(-1), mid = sorted[sorted.length >> 1], X = v => 8 + 384 * (v - lo) / (hi - lo || 1)
	const out = have.filter(b => Math.abs(value(b) - mid) > .35 * (hi - lo) && Math.abs(value(b) - mid) > 5).sort((a, b) => value(b) - value(a))
	const stack = {}
	return h('div', {class: 'compare'}, h('p', {}, h('b', {}, name), h('span', {}, `median ${mid} ${unit}`),
		out.length ? h('span', {class: 'outlier'}, out.slice(0, 3).map((b, i) => [i ? ', ' : '', h('a', {href: url(b)}, `bay ${b.bay}: ${value(b)} ${unit}`)])) : h('span', {}, 'no outlier')),
		s('svg', {viewBox: '0 0 400 34', role: 'img', 'aria-label': `${name}: ${lo} to ${hi} ${unit}, median ${mid} ${unit}`},
			s('path', {class: 'axis', d: 'M0 31H400'}), s('path', {class: 'median', d: `M${X(mid)} 2V34`}),
			have.map(b => {
				const k = Math.round(X(value(b)) / 7)
				stack[k] = (stack[k] ?? 0) + 1
				return s('circle', {class: out.includes(b) ? 'dot out' : 'dot', cx: X(value(b)), cy: 27.5 - Math.min(5, stack[k] - 1) * 5, r: 2.6})
			})),
		h('p', {class: 'ends'}, h('span', {}, `${lo} ${unit}`), h('span', {}, hi > lo ? `${hi} ${unit}` : 'all alike')))
}

// Who sat where: rows [{name, sub, spans: [{from, to, text}]}] over one time axis; a gap is a gap.
export function follows(rows, from, to, label, W) {
	const rowH = 40, L = W > 500 ? 116 : 92, X = t => L + (W - L) * (t - from) / (to - from || 1)
	const svg = s('svg', {class: 'follows', viewBox: `0 0 ${W} ${rows.length * rowH + 24}`, role: 'img', 'aria-label': label})
	rows.forEach((row, i) => {
		const y = i * rowH
		svg.append(s('text', {class: 'row-name', x: 0, y: y + 16}, row.name), s('text', {class: 'row-sub', x: 0, y: y + 31}, row.sub))
		for (const p of row.spans) {
			const x = X(p.from), w = Math.max(4, X(p.to) - x - 2)
			svg.append(s('rect', {class: 'span v-ok', x, y: y + 4, width: w, height: 28, rx: 3}, s('title', {}, `${p.text}, ${day(p.from)} to ${day(p.to)}`)))
			if (w - 12 > p.text.length * 7.8) svg.append(s('text', {class: 'span-text', x: x + 9, y: y + 22}, p.text))
		}
	})
	const n = W > 500 ? 5 : 3
	for (let i = 0; i < n; i++) {
		const t = from + (to - from) * (i + .5) / n
		svg.append(s('text', {class: 'xtick', x: X(t), y: rows.length * rowH + 16}, to - from < 2 * 86400e3 ? age(secondsSince(t)) + ' ago' : shortDay(t)))
	}
	return svg
}

// ---- hatches, referred to by fill="url(#hatch)" ----

export const patterns = () => s('svg', {class: 'defs', 'aria-hidden': 'true', focusable: 'false', width: 0, height: 0}, s('defs', {},
	[['hatch', ''], ['hatch-strong', ''], ['hatch-bad', 'bad']].map(([id, cls]) => s('pattern', {id, class: `hatch ${id} ${cls}`, width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)'},
		s('rect', {width: 6, height: 6}), s('path', {d: 'M0 0V6'})))))

export const notice = (name, head, text) => h('div', {class: `notice v-${name}`, role: 'note'}, mark(name), h('p', {}, h('b', {}, head), ' ', text))
export const crumbs = (...path) => h('nav', {class: 'crumbs', 'aria-label': 'You are here'}, path.map(([text, url], i) =>
	[i ? h('span', {'aria-hidden': 'true'}, '›') : null, url ? h('a', {href: url}, text) : h('span', {'aria-current': 'page'}, text)]))
