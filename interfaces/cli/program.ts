/** The whole program: commands from operations, and those that are none. Lines are parsed and completed by it. */

import { programVersion } from '../../engine/base/program.js';
import { COMMANDS } from '../../engine/service/operations/commands.js';
import { COMPLETION_COMMAND } from './completion/command.js';
import { DOCTOR_COMMAND } from './doctor/command.js';
import type { ProgramSpec } from './line/commander.js';
import { describeProgram } from './line/commands.js';
import { REPL_COMMAND } from './repl/command.js';
import { MCP_COMMAND } from './serve/mcp-command.js';
import { CONFIG_COMMAND, SERVE_COMMAND } from './serve/serve-command.js';

export function wholeProgram(): ProgramSpec {
  const program = describeProgram(COMMANDS, programVersion());
  const others = [REPL_COMMAND, SERVE_COMMAND, MCP_COMMAND, CONFIG_COMMAND, DOCTOR_COMMAND, COMPLETION_COMMAND];
  return { ...program, commands: [...program.commands, ...others] };
}
