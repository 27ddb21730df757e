#!/usr/bin/env node
// In a checkout the bundle is made when a source is newer than it; an installed package ships the bundle.
import { existsSync } from 'node:fs';

const buildScript = new URL('../../../scripts/build.mjs', import.meta.url);
if (existsSync(buildScript)) await (await import(buildScript.href)).buildIfStale();
await import(new URL('../dist/holdfast.js', import.meta.url).href);
