import { service } from '@petstore/types';
import { type Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addAuth } from './auth.ts';
import { PetctlCommand } from './command.ts';
import { addCompletion } from './completion.ts';
import type { Context } from './context.ts';
import { exitCodes } from './errors.ts';
import { addOperations } from './operations.ts';
import { Session } from './session.ts';
import { globalOptions } from './settings.ts';

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
  const program = programFor(session, (text) => {
    help += text;
  });
  // The words to complete are no command line yet: they may begin with a dash.
  const words = args[0] === '__complete' ? ['__complete', '--', ...args.slice(1)] : args;
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    // commander throws after help and `--version`, too.
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
  }
  if (help !== '') await session.stdout.write(help);
  return 0;
}

const environmentHelp = `Environment variables:
  PETCTL_API_KEY           The API key. It takes precedence over a stored key. No option takes a key.
  PETCTL_BASE_URL          As --base-url.
  PETCTL_DEPLOYMENT        As --deployment.
  PETCTL_OUTPUT            As --output.
  PETCTL_TIMEOUT           As --timeout.
  PETCTL_RETRIES           As --retries.
  PETCTL_KEYRING           "false" stores keys in a file instead of the system's keyring.
  NO_COLOR                 Any value turns off the bold header of tables.
  XDG_CONFIG_HOME          The folder of petctl/credentials.json. Default: ~/.config, on Windows APPDATA.
  http_proxy, https_proxy  The proxy for addresses with http:// and https://.
  no_proxy                 The hosts that are called without a proxy, comma-separated.
  NODE_EXTRA_CA_CERTS      A file with further certificates to trust.`;

/** The whole command line. `showHelp` gets the text of help and of `--version`. */
function programFor(session: Session, showHelp: (text: string) => void): PetctlCommand {
  const root = new PetctlCommand('petctl');
  root
    .description(`${service.title} from the command line. ${service.summary}`)
    .version(manifest.version, '--version', 'Show the version.')
    .addHelpText('after', `\n${environmentHelp}\n\n${exitCodeHelp()}`);
  addOperations(root, session);
  addAuth(root, session);
  addCompletion(root, session);
  addHelp(root);
  configure(root, session, showHelp);
  return root;
}

/**
 * Adds the command `help` to a group and to those below it. commander's own shows other help for an
 * unknown name.
 */
function addHelp(group: Command): void {
  for (const command of group.commands) {
    if (command.commands.length > 0) addHelp(command);
  }
  group
    .helpCommand(false)
    .command('help')
    .summary('Show the help of a command')
    .description('Shows the help of a command.')
    .argument('[command...]', 'The words of the command.')
    .action((words: string[]) => commandAt(group, words).outputHelp());
}

/** The command with these words below a group. Throws a UsageError if there is none. */
function commandAt(group: Command, words: readonly string[]): Command {
  const [word, ...others] = words;
  if (word === undefined || !(group instanceof PetctlCommand)) return group;
  return commandAt(group.commandFor(word), others);
}

/** Gives a command and all below it the global options. None of them writes by itself. */
function configure(command: Command, session: Session, showHelp: (text: string) => void): void {
  for (const each of command.commands) configure(each, session, showHelp);
  for (const option of globalOptions()) command.addOption(option);
  const { stdout, reporter } = session;
  command
    .on('option:output', (output: string) => reporter.useFormatOf(output))
    .on('option:quiet', () => reporter.hideNotices())
    .helpOption('-h, --help', 'Show this help.')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: showHelp,
      getOutHelpWidth: () => stdout.width,
      getOutHasColors: () => false,
    });
}

function exitCodeHelp(): string {
  const rows = Object.values(exitCodes).map(
    ([exit, meaning]) => `  ${String(exit).padEnd(5)}${meaning}`,
  );
  return ['Exit codes:', '  0    success', ...rows].join('\n');
}
