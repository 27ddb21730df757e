export const rooms: readonly string[];
/** The files that each file of the product imports, by path relative to `folder`. */
export function readImports(folder?: string): Map<string, string[]>;
export function findUpwardImports(imports: ReadonlyMap<string, readonly string[]>): string[];
export function findCycles(imports: ReadonlyMap<string, readonly string[]>): string[][];
