import { service } from '@petstore/types';
import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addAuth } from './auth.ts';
import { addCompletion, complete } from './completion.ts';
import { exitCodes, reportError } from './errors.ts';
import { addOperations } from './operations.ts';
import { write } from './output.ts';
import { globalOptions } from './settings.ts';

const environmentHelp = `Environment variables:
  PETCTL_API_KEY           The API key. There is no flag for it. It counts more than a stored key.
  PETCTL_…                 _BASE_URL, _DEPLOYMENT, _OUTPUT, _TIMEOUT, _RETRIES: as the options.
  PETCTL_KEYRING           false: store keys in a file, not in the system's keyring.
  NO_COLOR                 No bold header.
  XDG_CONFIG_HOME          The folder of petctl/credentials.json. Default: ~/.config, on Windows APPDATA.
  http_proxy, https_proxy  Proxies; no_proxy lists the exceptions.
  NODE_EXTRA_CA_CERTS      A file with more trusted certificates.`;

// A promise that never settles ends Node, and must not look like a success.
process.exitCode = exitCodes.bug[0];

program()
  .parseAsync(wordsOf(process.argv.slice(2)), { from: 'user' })
  .catch((error) => {
    // Help and `--version` end commander with an error, too.
    if (error.exitCode !== 0 && error.code !== 'commander.help') throw error;
  })
  // Help is written by commander, which does not wait.
  .then(() => write(''))
  .then(() => 0, reportError)
  .then((code) => process.stderr.write('', () => process.exit(code)));

/** The whole command line. */
function program(): Command {
  const root = new Command('petctl');
  root
    .description(`${service.title} from the command line. ${service.summary}`)
    .version(manifest.version, '--version', 'Show the version.')
    .addHelpText('after', () => `\n${environmentHelp}\n\n${exitCodeHelp()}`);
  addOperations(root);
  addAuth(root);
  addCompletion(root);
  root
    .command('__complete [words...]', { hidden: true })
    .action((words: string[]) => complete(root, words));
  configure(root);
  return root;
}

/** The words to parse. commander's `help` shows only a command of the first level, so `help pets list` is `pets list --help`. */
function wordsOf(argv: readonly string[]): string[] {
  for (const name of Object.keys(process.env))
    if (name.startsWith('PETCTL_') && process.env[name] === '') delete process.env[name];
  // The words to complete are no command line yet.
  if (argv[0] === '__complete') return ['__complete', '--', ...argv.slice(1)];
  return argv[0] === 'help' ? [...argv.slice(1), '--help'] : [...argv];
}

/** Gives a command and all below it the global options, and makes their errors exceptions. */
function configure(command: Command): void {
  command.commands.forEach(configure);
  const isGroup = command.commands.length > 0;
  for (const option of globalOptions(!isGroup)) command.addOption(option);
  command
    .helpOption('-h, --help', 'Show this help.')
    .enablePositionalOptions()
    .exitOverride()
    // commander writes the help of a group that is called without a command as an error.
    .configureOutput({ writeErr: (text) => process.stdout.write(text), outputError: () => {} });
}

function exitCodeHelp(): string {
  const rows = Object.values(exitCodes).map(
    ([exit, meaning]) => `  ${String(exit).padEnd(5)}${meaning}`,
  );
  return ['Exit codes:', '  0    success', ...rows].join('\n');
}
