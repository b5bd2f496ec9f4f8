import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { giveToOwnerOfFolder, keepFolder } from './disk.ts';
import { KeysFileError } from './errors.ts';
import { reason } from './file.ts';

/**
 * Runs the change while no other process changes the keys, so that two at once lose nothing. SQLite's lock on an empty
 * database ends with its holder, however that ends. The file stays: deleting it would let a second holder in.
 */
export function whileAlone<T>(folder: string, change: () => T): T {
  const file = join(folder, 'keys.lock');
  let database: DatabaseSync | undefined;
  try {
    keepFolder(folder);
    database = new DatabaseSync(file, { timeout: 10_000 });
    giveToOwnerOfFolder(file);
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    throw new KeysFileError(file, `cannot be locked (${reason(error)}).`, error);
  }
  try {
    return change();
  } finally {
    database.close();
  }
}
