import { CommanderError } from 'commander';
import { keysVariable } from '../config/config.ts';
import { ExpectedError } from '../expected-error.ts';

/** The command line is invalid. */
export class UsageError extends ExpectedError {}

/** A document cannot be imported. The store has all earlier documents, and no later document. */
export class ImportError extends ExpectedError {}

/** The line that reports an error; undefined if the error needs no line, for example after --help. */
export function errorLine(error: unknown): string | undefined {
  if (error instanceof CommanderError) return usageLine(error);
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ExpectedError) return error.message;
  const calledByListen = 'syscall' in error && ['listen', 'getaddrinfo'].includes(String(error.syscall));
  return (calledByListen && listenLine(error)) || error.stack || error.message;
}

function usageLine({ code, message }: CommanderError): string | undefined {
  if (/^commander\.(help|helpDisplayed|version)$/.test(code)) return undefined;
  // An unexpected argument or the value of an unknown flag may be a key, so the message omits it.
  if (code === 'commander.excessArguments') return 'there are too many arguments; see --help.';
  const line = message
    .replace(/^error: /, '')
    .replace(/\n/g, ' ')
    .replace(/(unknown option '[^'=]*)=.*'/, "$1'");
  return /^unknown option '--?(api-?)?keys?'/.test(line)
    ? `${line}; set ${keysVariable} in the environment, or use 'keys create'.`
    : line;
}

/** The message for an address that cannot be listened on. */
function listenLine(error: Error): string | undefined {
  const { code, address, port, hostname }: Record<string, unknown> = { ...error };
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} on ${address} is in use; choose another one with PORT=${neighboringPort(Number(port))} npm start.`;
    case 'EACCES':
      return `port ${port} on ${address} needs another user; choose one from 1024 on with PORT=8080 npm start.`;
    case 'EADDRNOTAVAIL':
      return `${address} is not an address of this machine; choose another one with HOST or --host.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${hostname} is not a name of this machine; choose another one with HOST or --host.`;
    default:
      return undefined;
  }
}

const neighboringPort = (port: number) => (port < 65_535 ? port + 1 : port - 1);
