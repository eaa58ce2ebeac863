// SPDX-License-Identifier: MIT
// Runs before the first paint: the reader's own choice of theme, else the system's.
try {
	const chosen = localStorage.getItem('lanewatch-theme')
	if (chosen === 'light' || chosen === 'dark')
		document.documentElement.dataset.theme = chosen
} catch {
	// storage may be forbidden: then the system's theme it is
}
