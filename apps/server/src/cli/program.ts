import { service } from '@petstore/types';
import { Command, CommanderError, Help } from 'commander';
import { type Config, databaseVariable, keysVariable, rejectUnknownVariables, suggestion } from '../config/config.ts';
import { settings } from '../config/settings.ts';
import { addDataFolderCommands } from './data-folder.ts';
import { errorLine, UsageError } from './errors.ts';
import { addExportCommand, addImportCommand } from './export-import.ts';
import { addSettings, configOf } from './flags.ts';
import { addKeysCommands } from './keys.ts';

/** Runs the command line of this process, and sets its exit code. */
export async function main(start: (config: Config) => Promise<void>): Promise<void> {
  const env = { ...process.env };
  // Node's crash reports contain the environment.
  delete process.env[keysVariable];
  delete process.env[databaseVariable];

  try {
    await program(env, start).parseAsync();
  } catch (error) {
    const line = errorLine(error);
    if (line !== undefined) console.error(`petstore-server: ${line}`);
    process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
  }
}

/** The commands and flags. Parsing throws errors instead of printing them. */
export function program(env: NodeJS.ProcessEnv, start: (config: Config) => Promise<void>): Command {
  const root = new Command('petstore-server')
    .description(service.summary)
    .version(service.version)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .hook('preAction', () => rejectUnknownVariables(env));

  const serve = root.command('serve', { isDefault: true }).summary('run the server (the default command)');
  addSettings(serve, Object.values(settings))
    .allowExcessArguments()
    .addHelpText('after', keysHelp)
    .action(() => {
      rejectMisplacedCommand(root, serve.args);
      return start(configOf(serve, env));
    });
  addKeysCommands(root, env);
  addExportCommand(root, env);
  addImportCommand(root, env);
  addDataFolderCommands(root, env);

  // `petstore-server --help` also shows the flags of the default command, `serve`.
  const plain = new Help();
  return root
    .configureHelp({
      visibleOptions: (command) => [...plain.visibleOptions(command), ...(command === root ? serve.options : [])],
    })
    .addHelpText('after', keysHelp);
}

const keysHelp = `
Flags override environment variables, variables override defaults.

These have no flag, because process lists show flags:
  ${keysVariable}  the API keys, comma-separated, each 'key' or 'name=key',
                     instead of those in the data folder (see 'keys')
  ${databaseVariable}       the PostgreSQL for the documents, instead of the data
                     folder: 'postgres://user:password@host,other/database'`;

/** Rejects a remaining word: a misspelt command, or a command after flags. */
function rejectMisplacedCommand(root: Command, [word]: string[]): void {
  if (word === undefined) return;
  const names = root.commands.map((command) => command.name());
  if (names.includes(word)) throw new UsageError(`put '${word}' before its flags: petstore-server ${word} …`);
  throw new UsageError(`there is no command '${word}'; ${suggestion(word, names)}`);
}
