// Before anything else runs: the schemas must not try eval, which the content security policy refuses and reports.
globalThis.__zod_globalConfig = { jitless: true };
