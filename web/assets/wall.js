// SPDX-License-Identifier: MIT
// For a screen on the wall: no chrome, pictures in equal cells, the worst alerts. Pages through machines that do not fit.

import {h, said, clock, day, ago, known, hostUrl, readAgo} from './dom.js'
import {allBays} from './data.js'
import {mark, state} from './parts.js'
import {panel} from './panel.js'
import {fleetSentence, worstFirst, exceptions} from './overview.js'

const TURN_S = 20
const fitting = () => Math.max(1, Math.floor(innerWidth / 640)) * Math.max(1, Math.floor((innerHeight - 260) / 210))

const machine = m => h('section', {class: `wall-machine ${m.stale ? 'is-stale' : ''} m-${m.layout.groups[0]?.kind ?? "none"}`},
	h('h2', {}, h('a', {href: hostUrl(m.host)}, m.host), h('small', {}, m.stale ? [mark('stale'), m.read ? 'stale, ' : 'read ', readAgo(m.host)] : m.product)), m.bays.length > 0 && panel(m, {mini: true}),
	h('p', {class: 'wall-odd'}, m.stale ? state('unreachable', m.bays.length ? 'no answer; last values' : 'no answer yet') : m.hops.length ? m.hops.slice(0, 2).map(p => state(p.verdict, `uplink ${p.at}`)) :
		exceptions(m).length ? exceptions(m).slice(0, 3).map(b => state(b.verdict, `bay ${b.bay} ${b.verdict}`)) : state(m.bays.length ? 'ok' : 'unknown', m.bays.length ? 'all as expected' : 'no bay is told of')))

export default {
	title: () => 'Wall',
	needs: () => [allBays(), 'alerts'],
	parent: () => 'index.html',
	turns: true,
	draw({machines, alerts}) {
		const rank = {critical: 0, warning: 1}, list = worstFirst(machines), n = fitting(), pages = Math.ceil(list.length / n) || 1, page = Math.floor(Date.now() / 1000 / TURN_S) % pages
		const newest = machines.filter(m => m.read).sort((a, b) => a.read < b.read ? 1 : -1)[0]
		const firing = alerts.filter(a => a.state === 'firing' && !a.silenced_until).sort((a, b) => rank[a.severity] - rank[b.severity] || (a.since < b.since ? 1 : -1)).slice(0, 4)
		return [h('h1', {class: 'vh'}, 'Wall'), h('header', {class: 'wall-head'}, fleetSentence(machines), h('p', {class: 'wall-clock'}, h('b', {id: 'wall-clock'}, clock(Date.now())), h('span', {}, day(Date.now()), pages > 1 && ` · ${page + 1} of ${pages}`, newest && [' · read ', readAgo(newest.host)]))),
			h('div', {class: 'wall-grid'}, list.slice(page * n, page * n + n).map(machine)),
			h('section', {class: 'wall-alerts'}, h('h2', {class: 'vh'}, 'Firing'), h('ul', {}, firing.map(a => h('li', {class: `v-${a.severity}`}, mark(a.severity), h('b', {}, `${a.host ?? a.target}${known(a.bay) ? ' bay ' + a.bay : ''}`), h('span', {}, said(a)), ago(a.since)))))]
	},
}
