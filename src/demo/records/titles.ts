/** A phrase and one sentence about it: a title is a topic and an approach, an abstract the two sentences. */
export type Phrase = readonly [name: string, sentence: string];

export interface Language {
  /** ISO 639-1, and 639-3 for JPCOAR. */
  readonly code: string;
  readonly iso: string;
  readonly topics: readonly Phrase[];
  readonly approaches: readonly Phrase[];
}

export const languages: readonly Language[] = [
  {
    code: 'en',
    iso: 'eng',
    topics: [
      [
        'The Private Life of the Octopus 🐙',
        'An octopus in a university aquarium learned to switch off the night light, and did.',
      ],
      [
        'Lighthouses Nobody Asked For',
        'Eleven lighthouses on the north coast were built where no ship has ever passed.',
      ],
      ['Fog & Its Uses', 'Fog is usually measured by what it hides; we measured what it carries.'],
      ['A Grammar of Kettles', 'Kettles sing before they boil, and each sings its own interval.'],
      ['Moss on the Library Roof', 'The library roof bears twenty-three species of moss and one of regret.'],
      [
        'Bells Heard under Water',
        'The drowned village still has its bells, and a hydrophone hears them at spring tide.',
      ],
      [
        'The Sums 𝑥 < 𝑦 and What Children Make of Them',
        'Children of six read "less than" as the mouth of a crocodile 🐊, and calculate correctly.',
      ],
      ['Umbrellas Left on Trains', 'Forty thousand umbrellas a year are found, and three are called for.'],
      [
        'Starlings over the Power Station',
        'The murmuration turns each evening at 16:40, seven minutes before the shift does.',
      ],
      [
        'Letters to a Closed Observatory',
        'The observatory closed in 1971; the letters to it have not stopped.',
      ],
    ],
    approaches: [
      ['A Field Study', 'Two winters of observation are reported, with maps.'],
      ['Notes towards a Catalogue', 'The catalogue has 412 entries, of which nine are doubtful.'],
      ['An Oral History', 'We spoke with those who remember, and with two who only say so.'],
      [
        'Measured with Simple Means',
        'All instruments were built from kitchen scales; the errors are stated honestly.',
      ],
      ['A Reply to Our Critics', 'The critics were right about the tides, and wrong about everything else.'],
      ['Ten Years Later', 'We went back to every site, and found most of them.'],
    ],
  },
  {
    code: 'ja',
    iso: 'jpn',
    topics: [
      ['𠮟られた記憶の民俗学', '「𠮟る」と「叱る」のあいだで、人は何を覚えているのか。'],
      ['𠮷野の山桜と観測者たち', '百年分の開花日誌には、観測者の恋文が三通はさまっていた。'],
      ['雨の名前', '島には雨を呼ぶことばが四十七あり、そのうち二つは猫にしか使わない。'],
      ['古書店の猫に関する計量的研究 🐈', '猫が座った本は、座らなかった本より平均して四日早く売れる。'],
      ['消えたバス停', '時刻表から消えた停留所で、いまも毎朝ひとりが待っている。'],
      ['貝塚から出た手紙', '貝殻に刻まれた線は、どうやら買い物の覚え書きである。'],
      ['銭湯の音響', '湯気が多いほど、歌は上手に聞こえる。'],
      ['夜行列車の窓', '窓に映る自分の顔と、過ぎていく灯りを数えた。'],
      ['辻󠄀と辻', '点が一つか二つかで、町の名は今も揺れている。'],
      ['金魚の方言', '東の金魚は餌の前に二度、西の金魚は三度口を開ける。'],
    ],
    approaches: [
      ['聞き書きによる試論', '語り手は八十代から九十代の十四名である。'],
      ['数と図で見る', '図は三十二枚、うち一枚は上下が逆かもしれない。'],
      ['資料紹介', '本学図書館に寄贈された資料の全容を初めて示す。'],
      ['予備的報告', '結論を急がず、いま言えることだけを記す。'],
      ['再訪', '十年後に同じ道を歩き、同じ人に会えた。'],
      ['博士論文', '審査の席で最も長く議論されたのは脚注七であった。'],
    ],
  },
  {
    code: 'ar',
    iso: 'ara',
    topics: [
      ['خرائط الريح', 'للريح في الواحة تسعة أسماء، وكل اسم يدل على باب.'],
      ['حكايات سائقي الحافلات', 'يعرف سائق الخط السابع قصص المدينة قبل أن تصل إلى الصحف.'],
      ['رائحة المطر الأول', 'قسنا رائحة الأرض بعد المطر في ثلاثين قرية.'],
      ['خط اليد في دفاتر الخبازين', 'كتب الخبازون ديون الجيران شعرًا كي لا ينسوها.'],
      ['نجوم فوق السطوح', 'كان الأطفال ينامون على السطوح ويسمّون النجوم من جديد.'],
    ],
    approaches: [
      ['دراسة ميدانية', 'تقوم الدراسة على موسمين من العمل في الميدان.'],
      ['ملاحظات أولى', 'نعرض هنا ما نعرفه وما لا نعرفه بعد.'],
      ['فهرس مشروح', 'يضم الفهرس مئتين وستة عشر مدخلًا.'],
      ['قراءة جديدة', 'نقترح قراءة تبدأ من الهوامش.'],
      ['رسالة دكتوراه', 'نوقشت الرسالة في يوم عاصف.'],
      ['بعد عشر سنوات', 'عدنا إلى الأماكن نفسها فوجدنا الشاي ساخنًا.'],
    ],
  },
  {
    code: 'el',
    iso: 'ell',
    topics: [
      ['Οι γάτες του λιμανιού', 'Κάθε γάτα του λιμανιού έχει τη βάρκα της, και η βάρκα το ξέρει.'],
      ['Σφουγγάρια και σιωπή', 'Οι σφουγγαράδες μετρούσαν τον χρόνο με προσευχές.'],
      ['Το φως στις αυλές', 'Μετρήσαμε το φως σε σαράντα αυλές, από την αυγή ως το δείλι.'],
      ['Παροιμίες για τον άνεμο', 'Ο μαΐστρος έχει δεκατρείς παροιμίες, ο σιρόκος μόνο παράπονα.'],
      ['Ο μηχανισμός και η σκόνη', 'Ένα γρανάζι με 127 δόντια περίμενε δύο χιλιάδες χρόνια για μια ερώτηση.'],
    ],
    approaches: [
      ['επιτόπια έρευνα', 'Η έρευνα κράτησε δύο χειμώνες και ένα καλοκαίρι.'],
      ['πρώτες σημειώσεις', 'Οι σημειώσεις δημοσιεύονται όπως γράφτηκαν, με τους λεκέδες τους.'],
      ['κατάλογος', 'Ο κατάλογος περιέχει 318 λήμματα.'],
      ['προφορικές μαρτυρίες', 'Μίλησαν δεκαεννέα άνθρωποι και ένας παπαγάλος.'],
      ['διδακτορική διατριβή', 'Η διατριβή υποστηρίχθηκε μεγαλοφώνως.'],
      ['δέκα χρόνια μετά', 'Επιστρέψαμε, και το καφενείο ήταν ακόμη ανοιχτό.'],
    ],
  },
  {
    code: 'ru',
    iso: 'rus',
    topics: [
      ['Язык инея', 'Иней на окнах библиотеки повторяет узор её каталога.'],
      ['Грибные карты', 'Настоящую карту грибных мест не показывают даже внукам.'],
      ['Чайники дальних поездов', 'За сутки пути чайник слышит больше, чем психолог за год.'],
      [
        'Пингвины на полях рукописей 🐧',
        'На полях семи рукописей нарисованы пингвины, хотя их авторы никогда не видели моря.',
      ],
      ['Колодцы и эхо', 'Каждый колодец отвечает на полтона ниже, чем его спросили.'],
    ],
    approaches: [
      ['полевые заметки', 'Заметки велись при минус тридцати, карандашом.'],
      ['опыт каталога', 'В каталоге двести сорок записей и одна загадка.'],
      ['измерения простыми средствами', 'Погрешность указана честно.'],
      ['устная история', 'Рассказчики просили не менять их слова, и мы не меняли.'],
      ['диссертация', 'Оппонент возражал только против эпиграфа.'],
      ['десять лет спустя', 'Мы вернулись тем же поездом.'],
    ],
  },
  {
    code: 'hi',
    iso: 'hin',
    topics: [
      ['छतों का भूगोल', 'पुराने शहर में छत से छत होते हुए पूरा मोहल्ला पार किया जा सकता है।'],
      ['पतंगों का व्याकरण 🪁', 'पतंग की डोर में जितने मोड़ हैं, उतने ही उसके अर्थ हैं।'],
      ['चाय की दुकान का समय', 'चाय की दुकान की घड़ी सात मिनट आगे है, और पूरा बाज़ार उसी से चलता है।'],
      ['मानसून की डायरी', 'पहली बूँद का समय पाँच पीढ़ियों ने एक ही कॉपी में लिखा है।'],
      ['रेलगाड़ी और लोरी', 'पटरियों की लय पर बनी लोरियाँ सबसे जल्दी सुलाती हैं।'],
    ],
    approaches: [
      ['एक क्षेत्रीय अध्ययन', 'अध्ययन दो वर्षों में बारह गाँवों में हुआ।'],
      ['प्रारंभिक टिप्पणियाँ', 'यहाँ केवल वही कहा गया है जो देखा गया।'],
      ['मौखिक इतिहास', 'सत्रह लोगों ने अपनी बात अपने ढंग से कही।'],
      ['सूची और टिप्पणी', 'सूची में एक सौ नब्बे प्रविष्टियाँ हैं।'],
      ['शोध प्रबंध', 'सबसे लंबी चर्चा एक पादटिप्पणी पर हुई।'],
      ['दस साल बाद', 'हम उसी राह पर लौटे।'],
    ],
  },
  {
    code: 'fr',
    iso: 'fra',
    topics: [
      [
        'L’archéologie des poches',
        'Ce que l’on oublie dans ses poches dit plus que ce que l’on range dans ses coffres.',
      ],
      ['Les nuages de l’île', 'Une île qui n’a ni rivière ni puits boit ses nuages.'],
      [
        'Petite physique du ricochet',
        'Le record du village est de dix-sept bonds ; la théorie en permet dix-neuf.',
      ],
      ['Le silence des horloges', 'Quand une horloge s’arrête, on l’entend pour la première fois.'],
      ['Cœurs de châtaigniers', 'Les arbres creux du col servent de boîtes aux lettres depuis 1832.'],
    ],
    approaches: [
      ['enquête de terrain', 'L’enquête a duré deux hivers et une averse.'],
      ['notes pour un inventaire', 'L’inventaire compte 276 numéros.'],
      ['mesures avec peu de moyens', 'Tout l’appareillage tient dans une boîte à biscuits.'],
      ['histoire orale', 'Douze témoins, dont un bègue et un menteur, ont été entendus.'],
      ['thèse', 'Le jury a souhaité voir les ricochets.'],
      ['dix ans après', 'Nous sommes revenus à pied.'],
    ],
  },
  {
    code: 'ko',
    iso: 'kor',
    topics: [
      ['골목의 소리 지도', '골목마다 저녁 여섯 시의 소리가 다르다.'],
      ['장독대의 기후', '장독대의 온도는 할머니의 일기와 정확히 맞았다.'],
      ['도깨비불 관측 기록', '관측된 불빛 서른하나 가운데 둘은 설명되지 않았다.'],
      ['등대지기의 편지', '편지는 모두 날씨로 시작해서 안부로 끝난다.'],
      ['종이배 항해술 ⛵', '신문지로 접은 배는 공책으로 접은 배보다 멀리 간다.'],
    ],
    approaches: [
      ['현장 연구', '두 해 겨울 동안 관찰하였다.'],
      ['목록 작성을 위한 노트', '목록에는 백팔십 항목이 있다.'],
      ['구술사', '열여섯 명의 이야기를 그대로 옮겼다.'],
      ['간단한 측정', '오차는 숨김없이 적었다.'],
      ['학위 논문', '심사 위원은 각주를 가장 좋아했다.'],
      ['십 년 뒤', '같은 길을 다시 걸었다.'],
    ],
  },
];
