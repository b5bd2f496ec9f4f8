import { CommanderError } from 'commander';
import { type Config, keysVariable } from '../config/config.ts';
import { settings } from '../config/settings.ts';
import { ExpectedError } from '../expected-error.ts';

/** The command line is invalid. */
export class UsageError extends ExpectedError {}

/** A document cannot be imported. No later document is stored, and perhaps none of the earlier ones of its batch. */
export class ImportError extends ExpectedError {}

/** The line that reports an error; undefined if the error needs no line, for example after --help. */
export function errorLine(error: unknown): string | undefined {
  if (error instanceof CommanderError) return usageLine(error);
  if (!(error instanceof Error)) return String(error);
  return error instanceof ExpectedError ? error.message : error.stack || error.message;
}

function usageLine({ code, message, exitCode }: CommanderError): string | undefined {
  // Commander has printed the help, because a command is missing or unknown.
  if (code === 'commander.help' && exitCode !== 0) return 'name one of the commands above.';
  if (/^commander\.(help|helpDisplayed|version)$/.test(code)) return undefined;
  // An unexpected argument or the value of an unknown flag may be a key, so the message omits it.
  if (code === 'commander.excessArguments') return 'there are too many arguments; see --help.';
  const line = message
    .replace(/^error: /, '')
    .replace(/\n/g, ' ')
    .replace(/(unknown option '[^'=]*)=.*'/, "$1'");
  return /^unknown option '--?(api-?)?keys?'/.test(line)
    ? `${line}; set ${keysVariable} in the environment, or use 'petstore-server keys create'.`
    : line.replace(/^unknown option '[^']*'$/, '$&; see --help.');
}

/** Explains an error of listening on the configured host and ports. Returns any other error unchanged. */
export function listenError(error: unknown, config: Config): unknown {
  if (!(error instanceof Error && 'syscall' in error && ['listen', 'getaddrinfo'].includes(String(error.syscall))))
    return error;
  const { code, address, port, hostname }: Record<string, unknown> = { ...error };
  const { variable, flags } = port === config.adminPort ? settings.adminPort : settings.port;
  const optionsFor = (free: number) => `with ${variable}=${free} or ${flags.replace(/<.*>/, String(free))}.`;
  switch (code) {
    case 'EADDRINUSE':
      return new UsageError(
        `port ${port} on ${address} is in use; choose another one ${optionsFor(neighboringPort(Number(port)))}`,
      );
    case 'EACCES':
      return new UsageError(
        `port ${port} on ${address} needs another user; use port 1024 or higher ${optionsFor(8080)}`,
      );
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
      return new UsageError(`${address} is not an address of this machine; choose another one with HOST or --host.`);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new UsageError(`${hostname} is not a name of this machine; choose another one with HOST or --host.`);
    default:
      return error;
  }
}

const neighboringPort = (port: number) => (port < 65_535 ? port + 1 : port - 1);
