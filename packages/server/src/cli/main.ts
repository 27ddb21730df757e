import { program } from './program.ts';
import { reportError } from './report-error.ts';

try {
  await program.parseAsync();
} catch (error) {
  reportError(error, process.argv.includes('--json'));
}
