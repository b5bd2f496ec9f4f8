import { Command, CommanderError, Help } from 'commander';
import { type Config, databaseVariable, keysVariable, rejectUnknownEnvironment, suggestion } from '../config/config.ts';
import { settings } from '../config/settings.ts';
import { service } from '../old.ts';
import { errorLine, UsageError } from './errors.ts';
import { addExportCommand, addImportCommand } from './export-import.ts';
import { addSettings, configOf } from './flags-and-variables.ts';
import { addKeysCommands } from './keys.ts';

/** Runs the command in `process.argv`, and sets `process.exitCode`. `runServer` is passed in, because only `serve` loads the server. */
export async function main(runServer: (config: Config) => Promise<void>): Promise<void> {
  const env = { ...process.env };
  // Node's crash reports contain the environment, so the secrets are removed from it.
  delete process.env[keysVariable];
  delete process.env[databaseVariable];

  try {
    await program(env, runServer).parseAsync();
  } catch (error) {
    const line = errorLine(error);
    if (line !== undefined) console.error(`petstore-server: ${line}`);
    process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
  }
}

/** The commands and flags. Parsing throws an error instead of printing it and exiting. */
export function program(env: NodeJS.ProcessEnv, runServer: (config: Config) => Promise<void>): Command {
  const root = new Command('petstore-server')
    .description(service.summary)
    .version(service.version)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .hook('preAction', () => rejectUnknownEnvironment(env));

  const serve = root.command('serve', { isDefault: true }).summary('run the server (the default command)');
  addSettings(serve, Object.values(settings))
    // Commander's message for an unknown command would be about too many arguments of `serve`.
    .allowExcessArguments()
    .addHelpText('after', secretsHelp)
    .action(() => {
      rejectMisplacedCommand(root, serve.args);
      return runServer(configOf(serve, env));
    });
  addKeysCommands(root, env);
  addExportCommand(root, env);
  addImportCommand(root, env);

  // `petstore-server --help` also shows the flags of the default command, `serve`. Subcommands copied the help when they were added, so
  // theirs stays unchanged. `root` has these flags only in its help: else commander suggests them for misspelt flags of any command.
  const defaultHelp = new Help();
  const visibleOptions = (command: Command) => [...defaultHelp.visibleOptions(command), ...serve.options];
  return root
    .configureHelp({
      formatHelp: (command, helper) => defaultHelp.formatHelp(command, Object.assign(helper, { visibleOptions })),
    })
    .addHelpText('after', secretsHelp);
}

const secretsHelp = `
Flags override environment variables, variables override defaults.

Settings without a flag, because process lists show flags:
  ${keysVariable}  the API keys, comma-separated, each 'key' or 'name=key',
                     instead of those in the data folder (see 'keys')
  ${databaseVariable}       the PostgreSQL database for the documents, instead of the
                     data folder: 'postgres://user:password@host,other/database'`;

/** Rejects an argument of `serve`: an unknown command, or a command after flags. */
function rejectMisplacedCommand(root: Command, [word]: string[]): void {
  if (word === undefined) return;
  const names = root.commands.map((command) => command.name());
  if (names.includes(word)) throw new UsageError(`write '${word}' before all flags: petstore-server ${word} …`);
  throw new UsageError(`there is no command '${word}'; ${suggestion(word, names)}`);
}
