// Answers that wait for their clients to read them. Small ones are free, since connections are bounded; of all others so much is held at
// a time, and what there is no room for is made again when there is.

import type { Socket } from 'node:net';
import type { UnsentLimits } from './limits.ts';
import { errorReply, type NodeReply } from './reply.ts';
import { createRoom, type Leave } from './room.ts';

/** What is made, once there is room for it. `mayWait`: false where others wait for what is held of the question. */
export type Admit = (make: () => NodeReply | Promise<NodeReply>, mayWait?: boolean) => Promise<NodeReply>;

const busy = errorReply(503, 'too many large answers are being sent: try again later');

/** Of a request: `release` when its answer has left, or nobody will read it. */
export const createUnsent = ({ bytes, smallBytes, seconds }: UnsentLimits) => {
  const room = createRoom(bytes, bytes / 2);
  return (socket: Socket): { readonly admit: Admit; readonly release: () => void } => {
    let leave: Leave | undefined;
    /** How large it is where there is no room: nothing else of it is kept. */
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
