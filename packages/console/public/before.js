// Before anything else runs: the schemas must not try eval, which the content security policy refuses and reports.
globalThis.__zod_globalConfig = { jitless: true };
// The theme that was chosen here, before the first picture: nobody who works in the dark wants a white flash.
try {
  const theme = localStorage.getItem('holdfast-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system's theme it is.
}
