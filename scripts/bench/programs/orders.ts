// Late orders of a month: by customer, with the reasons that support gave. What an agent writes after two tool calls.
type Currency = 'EUR' | 'USD' | 'NOK';

interface Money {
  readonly amount: number;
  currency: Currency;
}

interface Order {
  id: string;
  customer: { id: number; name: string };
  total: Money;
  placed: string;
  promised: string;
  delivered?: string | null;
  tags: readonly string[];
}

enum Severity {
  None,
  Minor,
  Major = 10,
  Critical,
}

type Summary<K extends string = string> = Record<K, { orders: number; days: number; total: Money; worst: Severity }>;

const DAY = 86_400_000 as const;
const RATES: { [C in Currency]: number } = { EUR: 1, USD: 0.92, NOK: 0.085 };

function days(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY);
}

function severity(late: number): Severity {
  if (late <= 0) return Severity.None;
  return late < 3 ? Severity.Minor : late < 14 ? Severity.Major : Severity.Critical;
}

function toEuro({ amount, currency }: Money): Money {
  return { amount: Math.round(amount * RATES[currency] * 100) / 100, currency: 'EUR' };
}

function isLate(order: Order): order is Order & { delivered: string } {
  return typeof order.delivered === 'string' && days(order.promised, order.delivered!) > 0;
}

function groupBy<T, K extends PropertyKey>(items: readonly T[], key: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const at: K = key(item);
    (groups.get(at) ?? groups.set(at, []).get(at)!).push(item);
  }
  return groups;
}

class Report {
  private readonly lines: string[] = [];
  public constructor(protected readonly title: string, private limit: number = 5) {}

  add(name: string, entry: Summary[string]): this {
    if (this.lines.length < this.limit) {
      this.lines.push(`${name}: ${entry.orders} late, ${entry.days} days, ${entry.total.amount.toFixed(2)}`);
    }
    return this;
  }

  get text(): string {
    return [this.title, ...this.lines].join('\n');
  }
}

const orders: Order[] = Array.from({ length: 40 }, (_: unknown, n: number): Order => ({
  id: `order-${n}`,
  customer: { id: n % 7, name: `Customer ${n % 7}` },
  total: { amount: 100 + n * 3.5, currency: (['EUR', 'USD', 'NOK'] as const)[n % 3]! },
  placed: '2026-01-05',
  promised: '2026-01-12',
  delivered: n % 4 === 0 ? null : `2026-01-${String(10 + (n % 19)).padStart(2, '0')}`,
  tags: n % 2 ? ['gift'] : [],
}));

const summary: Summary = {};
for (const [name, late] of groupBy(orders.filter(isLate), (order) => order.customer.name)) {
  const delays: number[] = late.map((order) => days(order.promised, order.delivered));
  const amount = late.reduce<number>((sum, order) => sum + toEuro(order.total).amount, 0);
  summary[name] = {
    orders: late.length,
    days: delays.reduce((a, b) => a + b, 0),
    total: { amount, currency: 'EUR' },
    worst: Math.max(...delays.map(severity)) as Severity,
  };
}

const report = new Report('Late orders');
for (const name of Object.keys(summary).sort()) report.add(name, summary[name] satisfies Summary[string]);
({ text: report.text, critical: Object.values(summary).filter((s) => s.worst === Severity.Critical).length });
