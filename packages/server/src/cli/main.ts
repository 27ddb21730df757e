import { createProgram } from './program.ts';
import { reportError } from './report-error.ts';

try {
  const program = await createProgram(process.argv.slice(2));
  await program.parseAsync();
} catch (error) {
  reportError(error, process.argv.includes('--json'));
}
