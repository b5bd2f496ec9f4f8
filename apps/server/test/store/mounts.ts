import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { newFolder, skips } from '@petstore/testing';
import { onTestFinished, type TestContext } from 'vitest';

export type FileSystem = 'ext4' | 'xfs';

/** A file system in a file, mounted on a folder of the running test. */
export interface MountedDisk {
  path: string;
  /** Ends it as a power cut would: what was not synced is lost, and every call fails from now on. */
  cutPower(): void;
  unmount(): void;
  /** Mounts it again, whereby it repairs itself. */
  mount(): void;
}

// The programs that make file systems are not on every user's path.
const env = { ...process.env, PATH: [process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter) };

const FILE_SYSTEMS: Record<FileSystem, { megabytes: number; command: string[]; package: string }> = {
  ext4: { megabytes: 128, command: ['mkfs.ext4', '-q', '-F'], package: 'e2fsprogs' },
  // The smallest that mkfs.xfs makes.
  xfs: { megabytes: 320, command: ['mkfs.xfs', '-q', '-f'], package: 'xfsprogs' },
};

/** XFS_IOC_GOINGDOWN, which ext4 calls EXT4_IOC_SHUTDOWN, without writing the log first (2). */
const GOING_DOWN =
  'my $how = pack("L", 2); open(my $f, "<", $ARGV[0]) or die $!; ioctl($f, 0x8004587d, $how) or die $!';

/**
 * Unmounts a folder, and waits until its image is unused. A container that starts has a copy of each mount for a moment, and as long as
 * there is one, mounting the image again gives the file system that has lost its power.
 */
const UNMOUNT = 'umount "$1" && while [ -n "$(losetup -j "$2")" ]; do sleep 0.01; done';

/** A new file system for the running test, which is skipped where it cannot be had. */
export function mountedDisk(context: TestContext, kind: FileSystem): MountedDisk {
  const { megabytes, command, package: name } = FILE_SYSTEMS[kind];
  for (const [program = '', install] of [
    [command[0], name],
    ['perl', 'perl'],
  ]) {
    const isMissing = spawnSync('which', [program], { env }).status !== 0;
    skipIf(context, isMissing ? `${program} does not run here` : undefined, install);
  }
  const folder = newFolder();
  const image = join(folder, 'image');
  const path = join(folder, 'disk');
  const mount = () => run(['mount', '-o', 'loop', image, path]);
  const disk = {
    path,
    mount,
    unmount: () => run(['sh', '-c', UNMOUNT, 'sh', path, image]),
    cutPower: () => run(['perl', '-e', GOING_DOWN, path]),
  };
  tryTo(context, path, () => {
    writeFileSync(image, '');
    truncateSync(image, megabytes * 2 ** 20);
    run([...command, image]);
    mount();
    disk.cutPower();
    disk.unmount();
    mount();
  });
  return disk;
}

/** A small file system in memory for the running test, which is skipped where it cannot be had. */
export function smallDisk(context: TestContext, kilobytes: number): string {
  const path = join(newFolder(), 'disk');
  tryTo(context, path, () => run(['mount', '-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', path]));
  return path;
}

export function remountReadOnly(path: string) {
  run(['mount', '-o', 'remount,ro', path]);
}

/** Mounts something on a new folder until the test ends. Skips the test where that is impossible. */
function tryTo(context: TestContext, path: string, mount: () => void) {
  const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
  skipIf(context, isRoot ? undefined : 'only root on Linux may mount');
  mkdirSync(path);
  // Even while a test that failed still has files open there.
  onTestFinished(() => void spawnSync('umount', ['--lazy', path]));
  try {
    mount();
  } catch (error) {
    const message = error instanceof Error ? error.message.trim().replaceAll('\n', ' ') : error;
    skipIf(context, `this machine does not mount it (${message})`);
  }
}

function skipIf({ skip, task }: TestContext, reason: string | undefined, install?: string) {
  if (skips(task.fullTestName, reason, install)) skip(reason);
}

function run([command = '', ...args]: string[]) {
  execFileSync(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
}
