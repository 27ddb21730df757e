import { fileURLToPath } from 'node:url';

/** The bundled runner stands beside the bundled command. */
export const runnerProgramPath = fileURLToPath(new URL('./runner.js', import.meta.url));
