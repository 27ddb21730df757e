import { spawnSync } from 'node:child_process';

/** Some tests run Python programs; where there is no Python, they are left out. */
export const hasPython =
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;
