// SPDX-License-Identifier: MIT
// Pools: each as the tree that zpool shows, with state, throughput, wear and what links let it carry.

import {h, card, dl, known, plural, gbs, tb, bayUrl, hostUrl, when, age} from './dom.js'
import {allBays} from './data.js'
import {state, wearBar, notice} from './parts.js'
import {speed, shareBar} from './flow.js'

const GOOD = new Set(['ONLINE', 'AVAIL', 'INUSE']), GONE = new Set(['FAULTED', 'UNAVAIL', 'REMOVED', 'SUSPENDED'])
const shape = word => !known(word) ? 'unknown' : GOOD.has(word) ? 'ok' : GONE.has(word) ? 'critical' : 'warning'
const health = word => state(shape(word), word ?? 'not known')

function scanLine(x) {
	const what = `${x.function}${x.vdev ? ` of ${x.vdev}` : ''}`
	if (x.state === 'running') return [`${what} runs`, known(x.percent) && `, ${x.percent} % done`, known(x.to_go_seconds) && `, ${age(x.to_go_seconds)} to go`]
	if (x.state === 'finished') return [`last ${what} `, x.ended_at && when(x.ended_at), known(x.errors) && `, ${plural(x.errors, 'error')}`, x.amount && `, ${x.amount} repaired`]
	return [`${what} ${x.state ?? ''}`]
}

// What a group reads or writes stands in vdevs, what a member does in its row; the drive has what its link carries.
function row(n, p, bays) {
	const b = bays.get(n.bay), vdev = n.depth === 0 && p.vdevs.find(v => v.name === n.name), top = vdev ? vdev.ceiling_bytes_per_second : b?.link?.bandwidth_bytes_per_second
	const read = n.read_bytes_per_second ?? vdev?.read_bytes_per_second, write = n.write_bytes_per_second ?? vdev?.write_bytes_per_second, of = v => known(top) && known(v) && top > 0 ? v / top : null
	const errors = n.errors && [n.errors.read, n.errors.write, n.errors.checksum].map(e => Number(e ?? 0)), wrong = errors?.some(e => e > 0)
	return h('tr', {class: `depth-${Math.min(4, n.depth)}`}, h('th', {scope: 'row'}, b ? [h('a', {href: bayUrl(b)}, `bay ${b.bay}`), ' '] : null, n.controller ?? n.name, n.note && h('small', {}, ` ${n.note}`), n.was && h('small', {}, ` was ${n.was}`)),
		h('td', {}, n.role), h('td', {}, health(n.state), n.resilvering && h('small', {}, ' resilvering')), h('td', {class: wrong ? 'r wrong' : 'r'}, errors ? errors.join(' / ') : '–'),
		h('td', {class: 'c-flow'}, known(read) || known(write) ? [shareBar([of(read), of(write)], `reads ${speed(read)}, writes ${speed(write)}`), h('small', {}, `${speed(read)} / ${speed(write)}`)] : '–'),
		h('td', {class: 'r'}, known(top) ? gbs(top) : '–'), h('td', {class: 'r'}, known(b?.wear?.percent_used) ? [wearBar(b.wear.percent_used, {long: 40}), ` ${b.wear.percent_used} %`] : '–'))
}

function poolCard(p, m) {
	const bays = new Map([...m.bays, ...m.boot].map(b => [b.bay, b])), hints = m.hints.filter(x => x.pool === p.pool)
	const heads = [['member'], ['role'], ['state'], ['errors', 'r'], ['read / write'], ['can carry', 'r'], ['used', 'r']]
	return card(p.pool, 'pool wide', h('p', {class: 'sub'}, health(p.health), ' on ', h('a', {href: hostUrl(m.host)}, m.host), p.stale && ' · last known', p.status && ` · ${p.status}`),
		hints.length > 0 && h('ul', {class: 'standing'}, hints.map(x => h('li', {}, h('b', {}, x.code), h('span', {}, x.message)))),
		dl([known(p.bytes_size) && ['size', `${tb(p.bytes_size)}, ${tb(p.bytes_allocated)} used`], ['reads at most', known(p.read_ceiling_bytes_per_second) ? `${gbs(p.read_ceiling_bytes_per_second)} in streams` : 'not known'],
			['writes at most', known(p.write_ceiling_bytes_per_second) ? gbs(p.write_ceiling_bytes_per_second) : 'not known'], p.missing.length > 0 && ['missing', p.missing.join(', ')], known(p.data_errors) && p.data_errors > 0 && ['data errors', String(p.data_errors)]]),
		p.scans.map(x => h('p', {class: 'sub'}, scanLine(x))),
		p.tree.length ? h('div', {class: 'scroll', role: 'region', 'aria-label': `Members of ${p.pool}`, tabindex: 0}, h('table', {class: 'plain tree'}, h('thead', {}, h('tr', {}, heads.map(([t, cls]) => h('th', {scope: 'col', class: cls}, t)))), h('tbody', {}, p.tree.map(n => row(n, p, bays))))) :
			h('p', {class: 'sub'}, 'Its members were not told.'))
}

export default {
	title: () => 'Pools',
	needs: () => [allBays(), 'alerts'],
	draw({machines}) {
		const all = machines.flatMap(m => m.pools.map(p => [p, m])), bad = all.filter(([p]) => shape(p.health) !== 'ok').length
		const silent = machines.flatMap(m => m.targets.filter(t => t.kind === 'zfs' && t.verdict !== 'ok'))
		return [h('div', {class: 'lead'}, h('h1', {}, 'Pools'), h('p', {class: 'sentence'}, h('b', {}, plural(all.length, 'pool')), all.length ? bad ? `, ${bad} not as it should be.` : ', all online.' : '.'), h('p', {class: 'sub'}, h('a', {href: 'ceiling.html'}, 'What the links can carry, and whether a figure can be true'))),
			silent.map(t => notice('warning', `${t.name} does not answer.`, t.message ?? '')),
			all.length ? all.map(([p, m]) => poolCard(p, m)) : notice('info', 'No pool is read.', 'A target of type zfs in the configuration reads the pools of the machine that lanewatch runs on.')]
	},
}
