#!/usr/bin/env node
// In a checkout the bundle is made when a source is newer than it; an installed package ships the bundle.
import { existsSync } from 'node:fs';

const buildScript = new URL('../../../scripts/build.mjs', import.meta.url);
try {
  if (existsSync(buildScript)) await (await import(buildScript.href)).buildIfStale();
  await import(new URL('../dist/holdfast.js', import.meta.url).href);
} catch (error) {
  process.exitCode = 1;
  if (error.code === 'ERR_MODULE_NOT_FOUND')
    console.error(
      `holdfast: ${error.message.split(' imported from')[0]}\n  Install the packages first: npm ci`,
    );
  else if (error.code !== 'BUILD_FAILED') throw error;
}
