// Responses of the P-Chain, as a node writes them: numbers are strings, times are Unix seconds. Responses may contain anything else.

/** Owners of a payout. */
export interface WireOwner {
  readonly locktime: string;
  readonly threshold: string;
  readonly addresses: readonly string[];
}

/** A staker of the Primary Network. */
interface WireStaker {
  readonly txID: string;
  readonly startTime: string;
  readonly endTime: string;
  readonly weight: string;
  readonly nodeID: string;
  readonly potentialReward: string;
}

export interface WireDelegator extends WireStaker {
  readonly rewardOwner: WireOwner;
}

export interface WirePrimaryValidator extends WireStaker {
  readonly validationRewardOwner: WireOwner;
  readonly delegationRewardOwner: WireOwner;
  readonly accruedDelegateeReward: string;
  readonly delegationFee: string;
  readonly uptime: string;
  readonly connected: boolean;
  readonly signer: { readonly publicKey: string; readonly proofOfPossession: string };
  readonly delegatorCount: string;
  readonly delegatorWeight: string;
  /** Only in the response to a request for one NodeID. */
  readonly delegators?: readonly WireDelegator[];
}

export interface WireL1Validator {
  readonly nodeID: string;
  readonly weight: string;
  readonly startTime: string;
  readonly validationID: string;
  readonly publicKey: string;
  readonly remainingBalanceOwner: WireOwner;
  readonly deactivationOwner: WireOwner;
  readonly minNonce: string;
  readonly balance: string;
}

export interface WireL1Record extends WireL1Validator {
  readonly subnetID: string;
  /** Height of the last accepted P-Chain block. */
  readonly height: string;
}

export type WireValidator = WirePrimaryValidator | WireL1Validator;

export interface WireBlockchain {
  readonly id: string;
  readonly name: string;
  readonly subnetID: string;
  readonly vmID: string;
}

/** Both fields are in nAVAX. */
export interface WireMinStake {
  readonly minValidatorStake: string;
  readonly minDelegatorStake: string;
}

/** `supply` is in nAVAX, at `height`. */
export interface WireSupply {
  readonly supply: string;
  readonly height: string;
}

/** State of transaction fees: `capacity` and `excess` in gas, `price` in nAVAX per gas. */
export interface WireFeeState {
  readonly capacity: number;
  readonly excess: number;
  readonly price: number;
  readonly timestamp: string;
}

/** IDs are zero and `managerAddress` is null, unless the subnet was transformed or is an L1. */
export interface WireSubnet {
  readonly isPermissioned: boolean;
  readonly controlKeys: readonly string[];
  readonly threshold: string;
  readonly locktime: string;
  readonly subnetTransformationTxID: string;
  readonly conversionID: string;
  readonly managerChainID: string;
  /** Hex address of a contract on that chain. */
  readonly managerAddress: string | null;
}
