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

// What a pull costs of what the kernel shows. What stands on an array suffers only with it.
export function pullsDown(b) {
	const uses = b.drive?.uses ?? [], arrays = uses.filter(u => u.kind === 'md'), named = u => u.mount ? `${u.name} on ${u.mount}` : u.name
	const array = u => /missing/.test(u.detail ?? '') ? `${named(u)} (${u.detail}) has lost a member already: with this one it may fail` : /^(raid0|linear)/.test(u.detail ?? '') ? `${named(u)} (${u.detail}) fails: it has no redundancy` : `${named(u)} (${u.detail ?? 'array'}) loses a member`
	const plain = uses.filter(u => (u.kind === 'mount' || u.kind === 'swap' || (!arrays.length && ['lvm', 'crypt', 'dm', 'other'].includes(u.kind))) && u.mount)
	return [...arrays.map(array), ...plain.map(u => `${named(u)} goes, unless something above it is mirrored`)]
}
