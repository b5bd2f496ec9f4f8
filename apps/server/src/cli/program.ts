import { service } from '@petstore/types';
import { Command, Help } from 'commander';
import { closest } from '../config/closest.ts';
import { databaseVariable, keysVariable, refuseUnknownVariables, secretsOf } from '../config/environment.ts';
import { settings } from '../config/settings.ts';
import { type Config, configFrom } from '../config.ts';
import { addDataFolderCommands } from './data-folder.ts';
import { UsageError } from './errors.ts';
import { addExportCommand } from './export.ts';
import { addSettings, givenTo } from './given.ts';
import { addImportCommand } from './import.ts';
import { addKeysCommands } from './keys.ts';

/** The whole command line. Errors are thrown, and written by nobody here. */
export function program(env: NodeJS.ProcessEnv, start: (config: Config) => Promise<void>): Command {
  const root = new Command('petstore-server')
    .description(service.summary)
    .version(service.version)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .hook('preAction', () => refuseUnknownVariables(env));

  const serve = root
    .command('serve', { isDefault: true })
    .summary('run the server, which is also done without a command');
  addSettings(serve, Object.values(settings))
    .allowExcessArguments()
    .addHelpText('after', keysHelp)
    .action(() => {
      refuseCommandsElsewhere(root, serve.args);
      return start(configFrom(givenTo(serve, env), secretsOf(env)));
    });
  addKeysCommands(root, env);
  addExportCommand(root, env);
  addImportCommand(root, env);
  addDataFolderCommands(root, env);

  // `petstore-server --help` shows what can be set without a command, which is what `serve` takes.
  const plain = new Help();
  return root
    .configureHelp({
      visibleOptions: (command) => [...plain.visibleOptions(command), ...(command === root ? serve.options : [])],
    })
    .addHelpText('after', keysHelp);
}

const keysHelp = `
A flag goes before its variable, a variable before the default.

In the environment alone, so that no list of processes shows it:
  ${keysVariable}  the keys that may call, separated by commas, each 'key' or
                     'name=key', instead of those in the data folder, which
                     'petstore-server keys' looks after
  ${databaseVariable}       the PostgreSQL that stores the documents, instead of the
                     data folder: 'postgres://user:password@host,other/database'`;

/** What is left over was meant to be a command: it is misspelt, or it stands behind flags. */
function refuseCommandsElsewhere(root: Command, [word]: string[]): void {
  if (word === undefined) return;
  const names = root.commands.map((command) => command.name());
  if (names.includes(word)) throw new UsageError(`put '${word}' before its flags: petstore-server ${word} …`);
  const meant = closest(word, names);
  throw new UsageError(`there is no command '${word}'; ${meant ? `did you mean ${meant}?` : '--help shows all.'}`);
}
