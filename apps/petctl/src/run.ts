import { CommanderError } from 'commander';
import type { Context } from './context.ts';
import { program } from './program.ts';
import { Session } from './session.ts';

export type { Context, Environment, OutputTarget } from './context.ts';

/** Runs a command line, and returns its exit code. All that it has to say is written by then. */
export async function run(context: Context): Promise<number> {
  const session = new Session(context);
  const code = await execute(session).catch((error: unknown) => session.reporter.error(error));
  await session.end();
  return code;
}

async function execute(session: Session): Promise<number> {
  const { args } = session.context;
  let help = '';
  const root = program(session, (text) => {
    help += text;
  });
  // The words to complete are no command line yet: they may begin with a dash.
  const words = args[0] === '__complete' ? ['__complete', '--', ...args.slice(1)] : args;
  try {
    await root.parseAsync(words, { from: 'user' });
  } catch (error) {
    // commander throws after help and `--version`, too.
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
  }
  if (help !== '') await session.stdout.write(help);
  return 0;
}
