import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { newFolder } from './folder.ts';

export type FileSystem = 'ext4' | 'xfs';

/** A file system in a file, mounted on a folder of the running test. */
export interface Mounted {
  path: string;
  /** Ends it as a cut of power would: what was not synced is lost, and every call fails from now on. */
  cutPower(): void;
  unmount(): void;
  /** Mounts it again, whereby it repairs itself. */
  mount(): void;
}

// What makes file systems is not on everybody's path.
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };

const make: Record<FileSystem, { megabytes: number; command: string[] }> = {
  ext4: { megabytes: 128, command: ['mkfs.ext4', '-q', '-F'] },
  // The smallest that mkfs.xfs makes.
  xfs: { megabytes: 320, command: ['mkfs.xfs', '-q', '-f'] },
};

/** Why this file system cannot be had here, if it cannot. */
export function unmountable(kind: FileSystem): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux may mount';
  for (const command of [make[kind].command[0] ?? '', 'perl']) {
    if (spawnSync('which', [command], { env }).status !== 0) return `${command} is not installed`;
  }
  return tried((folder) => {
    attach(kind, folder).cutPower();
  });
}

export function mountedDisk(kind: FileSystem): Mounted {
  const disk = attach(kind, newFolder());
  onTestFinished(() => letGo(disk.path));
  return disk;
}

function attach(kind: FileSystem, folder: string): Mounted {
  const { megabytes, command } = make[kind];
  const image = join(folder, 'image');
  const path = join(folder, 'disk');
  mkdirSync(path);
  writeFileSync(image, '');
  truncateSync(image, megabytes * 2 ** 20);
  run([...command, image]);
  const mount = () => run(['mount', '-o', 'loop', image, path]);
  mount();
  return {
    path,
    mount,
    unmount: () => run(['umount', path]),
    cutPower: () => run(['perl', '-e', goingDown, path]),
  };
}

/** XFS_IOC_GOINGDOWN, which ext4 calls EXT4_IOC_SHUTDOWN, without writing the log first (2). */
const goingDown = 'my $how = pack("L", 2); open(my $f, "<", $ARGV[0]) or die $!; ioctl($f, 0x8004587d, $how) or die $!';

/** A small file system in memory. */
export function smallDisk(kilobytes: number): string {
  const path = attachSmall(newFolder(), kilobytes);
  onTestFinished(() => letGo(path));
  return path;
}

function attachSmall(folder: string, kilobytes: number): string {
  const path = join(folder, 'disk');
  mkdirSync(path);
  run(['mount', '-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', path]);
  return path;
}

/** Why there can be no small disk here, if there can be none. */
export function noSmallDisk(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux may mount';
  return tried((folder) => attachSmall(folder, 64));
}

/** Why it fails, if it fails. */
function tried(work: (folder: string) => void): string | undefined {
  let clean = () => {};
  const folder = newFolder((given) => {
    clean = given;
  });
  try {
    work(folder);
    return undefined;
  } catch (error) {
    return `this machine does not let it happen (${error instanceof Error ? error.message.trim() : error})`;
  } finally {
    letGo(join(folder, 'disk'));
    clean();
  }
}

export function remountReadOnly(path: string) {
  run(['mount', '-o', 'remount,ro', path]);
}

/** Unmounts it even while a test that failed still has files open there. */
function letGo(path: string) {
  spawnSync('umount', ['--lazy', path]);
}

function run([command = '', ...given]: string[]) {
  execFileSync(command, given, { env, stdio: ['ignore', 'ignore', 'pipe'] });
}
