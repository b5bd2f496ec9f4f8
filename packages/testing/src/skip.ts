import { spawnSync } from 'node:child_process';

/**
 * Whether something cannot be tested here. Prints the reason, which `npm test` repeats at its end.
 * `install` names the Debian packages that would make the test run: where CI is set, skipping such a test is an error.
 */
export function skips(what: string, reason: string | undefined, install?: string): boolean {
  if (reason === undefined) return false;
  if (install && process.env.CI) throw new Error(`${what} is not tested: ${reason}. Install ${install}.`);
  console.warn(`SKIPPED: ${what}: ${reason}${install ? `; install ${install}` : ''}`);
  return true;
}

/** The reason to skip a test that runs this program, if the program does not run here. */
export function missingProgram(program: string, args: readonly string[] = ['--version']): string | undefined {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0 ? undefined : `${program} does not run here`;
}

/** The reason to skip a test that runs a POSIX shell, if this system has none. */
export const missingShell = process.platform === 'win32' ? 'Windows has no POSIX shell' : undefined;
