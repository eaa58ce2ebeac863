// SPDX-License-Identifier: MIT
// What moves: a drive's bytes since the poll before, against what its link carries.

import {h, s, card, known, gbs} from './dom.js'

export const speed = v => !known(v) ? 'not known' : v >= 0.95e9 ? gbs(v) : v >= 1e6 ? `${(v / 1e6).toFixed(1)} MB/s` : `${Math.round(v / 1e3)} kB/s`

// A share of a ceiling; hatched where it is not known. `both` are two shares, one above the other.
export function shareBar(both, label) {
	const svg = s('svg', {class: 'flow', viewBox: '0 0 100 10', preserveAspectRatio: 'none', role: 'img', 'aria-label': label})
	both.forEach((v, i) => {
		svg.append(s('rect', {class: 'track', y: i * 5, width: 100, height: 4.4, fill: known(v) ? null : 'url(#hatch)'}))
		if (v > 0) svg.append(s('rect', {class: i ? 'fill write' : 'fill read', y: i * 5, width: Math.max(.6, Math.min(100, 100 * v)), height: 4.4}))
	})
	return svg
}

export function flowBar(b) {
	const t = b.throughput, top = b.link?.bandwidth_bytes_per_second, of = v => known(top) && t ? v / top : null
	if (!t) return h('span', {class: 'sub'}, 'not counted')
	return h('span', {class: 'flowing'}, shareBar([of(t.read_bytes_per_second), of(t.write_bytes_per_second)], `reads ${speed(t.read_bytes_per_second)}, writes ${speed(t.write_bytes_per_second)}${known(top) ? ` of ${gbs(top)}` : ''}`),
		h('small', {}, `${speed(t.read_bytes_per_second)} read, ${speed(t.write_bytes_per_second)} written`))
}

export function throughputCard(b) {
	const t = b.throughput
	if (!b.drive) return null
	if (!t) return card('Throughput', 'moves', h('p', {class: 'sub'}, 'Not counted here: the kernel counts the drives of the machine that lanewatch runs on, from the second poll on.'))
	return card('Throughput', 'moves', flowBar(b), h('p', {class: 'sub'}, [known(t.busy_ratio) && `busy ${Math.round(100 * t.busy_ratio)} % of the time`, known(t.link_ratio) && `${(100 * t.link_ratio).toFixed(1)} % of the link`, `counted over ${t.seconds.toFixed(1)} s`].filter(Boolean).join(' · ')))
}
