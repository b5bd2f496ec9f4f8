import { UsageError } from '../io/errors.ts';
import type { Invocation } from '../parse/command.ts';

/** Prints the URL of the service's documentation, or opens it. */
export async function docs({ io, flags, settings }: Invocation): Promise<void> {
  const url = new URL('/docs', settings.baseUrl.value).href;
  await io.stdout.write(`${url}\n`);
  if (flags.has('open')) await open(url);
}

/** Opens a URL in the system's browser. */
async function open(url: string): Promise<void> {
  const { spawn } = await import('node:child_process');
  const [command, ...args] = { darwin: ['open'], win32: ['explorer'] }[String(process.platform)] ?? ['xdg-open'];
  const child = spawn(command ?? '', [...args, url], { stdio: 'ignore', detached: true });
  await new Promise<void>((resolve, reject) => {
    child.on('spawn', resolve);
    child.on('error', () =>
      reject(new UsageError(`There is no ${command} to open a browser.`, `Open ${url} yourself.`)),
    );
  });
  child.unref();
}
