import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { newFolder, skips } from '@petstore/testing';
import { onTestFinished, type TestContext } from 'vitest';

/** A file system in a file, mounted on a folder of the running test. */
export interface MountedDisk {
  path: string;
  /** Cuts the power: unsynced data is lost, and every later call fails. */
  cutPower(): void;
  unmount(): void;
  /** Mounts the file system again, which repairs it. */
  mount(): void;
}

// The programs that make file systems are not on every user's path.
const env = { ...process.env, PATH: [process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter) };

/** EXT4_IOC_SHUTDOWN, without writing the log first (2). */
const GOING_DOWN =
  'my $how = pack("L", 2); open(my $f, "<", $ARGV[0]) or die $!; ioctl($f, 0x8004587d, $how) or die $!';

/**
 * Unmounts a folder, and waits until its image is unused. A container that starts has a copy of each mount for a moment. While a copy
 * exists, mounting the image again returns the file system without power.
 */
const UNMOUNT = 'umount "$1" && while [ -n "$(losetup -j "$2")" ]; do sleep 0.01; done';

/** Creates a file system for the running test. Skips the test if this machine cannot mount one. */
export function mountedDisk(context: TestContext): MountedDisk {
  for (const [program = '', install] of [
    ['mkfs.ext4', 'e2fsprogs'],
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
    truncateSync(image, 128 * 2 ** 20);
    run(['mkfs.ext4', '-q', '-F', image]);
    mount();
    disk.cutPower();
    disk.unmount();
    mount();
  });
  return disk;
}

/** Creates a small file system in memory for the running test. Skips the test if this machine cannot mount one. */
export function smallDisk(context: TestContext, kilobytes: number): string {
  const path = join(newFolder(), 'disk');
  tryTo(context, path, () =>
    run(['mount', '-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', path]),
  );
  return path;
}

/** Mounts a file system on a new folder until the test ends. Skips the test if that is impossible. */
function tryTo(context: TestContext, path: string, mount: () => void) {
  const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
  skipIf(context, isRoot ? undefined : 'only root on Linux may mount');
  mkdirSync(path);
  // Lazily, because a failed test may still have open files there.
  onTestFinished(() => {
    spawnSync('umount', ['--lazy', path]);
  });
  try {
    mount();
  } catch (error) {
    const message = error instanceof Error ? error.message.trim().replaceAll('\n', ' ') : error;
    skipIf(context, `this machine cannot mount it (${message})`);
  }
}

function skipIf({ skip, task }: TestContext, reason: string | undefined, install?: string) {
  if (skips(task.fullTestName, reason, install)) skip(reason);
}

function run([command = '', ...args]: string[]) {
  execFileSync(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
}
