import { service } from '@petstore/types';
import { type Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addAuth } from './commands/auth.ts';
import { PetctlCommand } from './commands/command.ts';
import { addCompletion, complete, completeCommand } from './commands/completion.ts';
import { addOperations } from './commands/operations.ts';
import { exitCodes } from './errors.ts';
import { type Context, Session } from './session.ts';
import type { CommonOptions } from './settings.ts';

/** Runs a command line, and returns its exit code when all output is written. */
export async function run(context: Context): Promise<number> {
  const session = new Session(context);
  const code = await execute(session).catch((error: unknown) => session.reporter.error(error));
  await session.end();
  return code;
}

async function execute(session: Session): Promise<number> {
  const { context, stdout } = session;
  const help: string[] = [];
  const program = programFor(session, help);
  const [first, ...words] = context.args;
  if (first === completeCommand) await stdout.write(complete(program, words));
  else await parse(program, context.args);
  if (help.length > 0) await stdout.write(help.join(''));
  return 0;
}

async function parse(program: PetctlCommand, args: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    // commander throws after help and `--version`, too.
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
  }
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

/** Builds all commands. `help` gets the text that `--help` and `--version` show. */
function programFor(session: Session, help: string[]): PetctlCommand {
  const root = new PetctlCommand('petctl');
  // All commands inherit these settings.
  root
    .helpOption('-h, --help', 'Show this help.')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => help.push(text),
      getOutHelpWidth: () => session.stdout.width,
      getOutHasColors: () => false,
    });
  root
    .description(`${service.title} from the command line. ${service.summary}`)
    .version(manifest.version, '--version', 'Show the version.')
    .addHelpText('after', `\n${environmentHelp}\n\n${exitCodeHelp()}`);
  addOperations(root, session);
  addAuth(root, session);
  addCompletion(root, session);
  addHelp(root);
  addOptions(root, session.options);
  return root;
}

/**
 * Adds the command `help` to a group and to the groups below it. The `help` of commander takes only
 * one word.
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
    .action(async (words: string[]) => {
      await group.parseAsync([...words, '--help'], { from: 'user' });
    });
}

/** Adds the options that every command has to a command and to all below it. */
function addOptions(command: Command, options: CommonOptions): void {
  for (const each of command.commands) addOptions(each, options);
  options.addTo(command);
}

function exitCodeHelp(): string {
  const rows = Object.values(exitCodes).map(
    ([exit, meaning]) => `  ${String(exit).padEnd(5)}${meaning}`,
  );
  return ['Exit codes:', '  0    success', ...rows].join('\n');
}
