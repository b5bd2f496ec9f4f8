import type { Command } from 'commander';
import { keysVariable } from '../config/config.ts';
import { settings } from '../config/settings.ts';
import { createKey, keysFile, readKeys, revokeKey } from '../keys/key-file.ts';
import { addCommand, dataDirOf } from './flags-and-variables.ts';
import { writeOutput } from './output.ts';

/** `keys create`, `list` and `revoke`. Results go to stdout, explanations to stderr. */
export function addKeysCommands(root: Command, env: NodeJS.ProcessEnv): void {
  const keys = root
    .command('keys')
    .summary('create, list and revoke keys in the data folder, also while the server runs');
  const add = (name: string, summary: string) =>
    addCommand(keys, name, [settings.dataDir, settings.deployment], summary);

  const create = add('create', 'create a key, and print it once')
    .option('--name <name>', 'name of the key in lists and logs (default: key-1, key-2 and so on)')
    .action(async ({ name: requestedName }: { name?: string }) => {
      const folder = folderOf(create);
      const { name, key } = await createKey(folder, requestedName);
      console.error(
        `Created the key '${name}' in ${keysFile(folder)}. A running server accepts it within a second. It is not shown again.`,
      );
      await writeOutput([`${key}\n`]);
    });

  const list = add('list', 'list the keys with their dates').action(async () => {
    const file = keysFile(folderOf(list));
    const stored = readKeys(file);
    await writeOutput((stored ?? []).map(({ name, created }) => `${name}\t${created}\n`));
    if (!stored)
      console.error(`There is no ${file}. Start the server or run 'petstore-server keys create' to create a key.`);
    else if (stored.length === 0)
      console.error(`${file} contains no key, so no key is valid. Run 'petstore-server keys create' to create one.`);
  });

  const revoke = add('revoke', 'revoke a key')
    .argument('<name>', 'name of the key')
    .action(async (name: string) => {
      const folder = folderOf(revoke);
      const remaining = await revokeKey(folder, name);
      console.error(`Revoked the key '${name}' in ${keysFile(folder)}. A running server rejects it within a second.`);
      if (remaining === 0)
        console.error("It was the last one, so no key is valid. Run 'petstore-server keys create' to create another.");
    });

  function folderOf(command: Command): string {
    const folder = dataDirOf(command, env);
    if (env[keysVariable] !== undefined) {
      console.error(`${keysVariable} is set: servers with this variable ignore ${keysFile(folder)}.`);
    }
    return folder;
  }
}
