// Responses that wait for their clients to read them. Small ones do not count, since connections are limited. The total of others is
// limited; those that do not fit are discarded, and made again when there is room.

import type { Socket } from 'node:net';
import type { UnsentLimits } from './limits.ts';
import { errorReply, type NodeReply } from './reply.ts';
import { createRoom, type Leave } from './room.ts';

/** Makes a response once there is room for it. `mayWait`: false if others wait for what its request holds. */
export type Admit = (make: () => NodeReply | Promise<NodeReply>, mayWait?: boolean) => Promise<NodeReply>;

const busy = errorReply(503, 'too many large responses are being sent: try again later');

/** Per request: `release` when its response is sent, or will not be read. */
export const createUnsent = ({ bytes, smallBytes, seconds }: UnsentLimits) => {
  const room = createRoom(bytes, bytes / 2);
  return (socket: Socket): { readonly admit: Admit; readonly release: () => void } => {
    let leave: Leave | undefined;
    /** The response, or only its size if there is no room. */
    const made = async (make: Parameters<Admit>[0]): Promise<NodeReply | number> => {
      const reply = await make();
      const size = Buffer.byteLength(reply.body);
      if (size <= smallBytes) return reply;
      leave = room.take(socket, size);
      return leave === undefined ? size : reply;
    };
    const admit: Admit = async (make, mayWait = true) => {
      const found = await made(make);
      if (typeof found !== 'number') return found;
      if (mayWait) leave = await room.wait(socket, found, seconds);
      return leave === undefined ? busy : make();
    };
    return { admit, release: () => leave?.() };
  };
};
