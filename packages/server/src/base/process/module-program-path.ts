import { fileURLToPath } from 'node:url';

/** The bundled thread of adapter modules stands beside the bundled runner. */
export const moduleProgramPath = fileURLToPath(new URL('./adapter-module.js', import.meta.url));
