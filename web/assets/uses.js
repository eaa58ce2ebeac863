// SPDX-License-Identifier: MIT
// What lies on a drive, as the kernel shows it: arrays, volumes, file systems, swap.

import {h, card} from './dom.js'

const KINDS = {mount: 'file system', swap: 'swap', md: 'array', lvm: 'volume', crypt: 'encrypted', dm: 'device mapper', other: 'held by', member: 'signature, not active here'}

export function usesCard(b, m) {
	const uses = b.drive?.uses, pools = m.pools.flatMap(p => (p.tree ?? []).filter(n => n.bay === b.bay).map(n => ({kind: 'pool', name: p.pool, detail: n.role, mount: null})))
	if (!b.drive) return null
	if (!uses && !pools.length) return card('What lies on it', 'uses', h('p', {class: 'sub'}, 'Not known: only lanewatch on the machine itself can look.'))
	const all = [...pools, ...uses ?? []]
	return card('What lies on it', 'uses', all.length ? h('ul', {class: 'standing'}, all.map(u => h('li', {}, h('b', {}, KINDS[u.kind] ?? u.kind), h('span', {}, u.name, u.detail && ` (${u.detail})`, u.mount && ` on ${u.mount}`)))) :
		h('p', {class: 'sub'}, 'Nothing is known of any use. That does not mean that it is empty.'))
}
