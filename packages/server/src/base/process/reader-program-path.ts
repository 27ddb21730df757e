import { fileURLToPath } from 'node:url';

/** The bundled reading thread stands beside the bundled runner. */
export const readerProgramPath = fileURLToPath(new URL('./reader.js', import.meta.url));
