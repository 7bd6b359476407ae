import LinuxSystem

/// Everything the agent says, in every language it speaks.
///
/// A text may have places: `%1`, `%2` and `%3`. The English ones are ASCII, for terminals that can show nothing else.
enum Text: CaseIterable, Sendable {
    case title
    case asksForItem, asksWhoYouAre, asksToUnlock, unknownProgram, reason
    case beginsCircle, joinsCircle, addsMachine, removesMachine, leavesCircle
    case circleShares, circleReads, machineReads, machineKeeps, othersGo, itemsStay, circleTravels
    case asksToPair, asksToBePaired, showsDigits, digitsServe
    case resetsCircle, othersJoinAgain
    case makesRecoveryKey, recoveryServes, recoveryReplaces, recoversCircle, newestChange, noNewestChange, machinesRead
    case moreMachines, recoveryKeyInList
    case asksToKeepCode, asksToBeRecovered, showsCode, codeServes, enterCode, codeLabel
    case touchSensor, enterPasscode, enterPassword, choosePassword, enterLoginPassword, enterDigits
    case passcodeLabel, passwordLabel, digitsLabel, againLabel
    case ok, cancel, usePasscode
    case wrong, notRecognised, wait, mismatch, tooLong, empty
    case retry, tooShort, notCentred, liftFinger
    case keysWithFallback, keysToCancel

    private var row: (english: String, chinese: String) {
        switch self {
        case .title: ("Keychain", "钥匙串")
        case .asksForItem: ("\"%1\" wants to use \"%2\".", "“%1”想要使用“%2”。")
        case .asksWhoYouAre: ("\"%1\" wants to make sure that it is you.", "“%1”想要确认是您本人。")
        case .asksToUnlock: ("\"%1\" wants to unlock your keychain.", "“%1”想要解锁您的钥匙串。")
        case .unknownProgram: ("A program", "某个程序")
        case .reason: ("The reason it gives: \"%1\"", "它给出的理由：“%1”")
        case .beginsCircle:
            (
                "\"%1\" wants to begin a circle of your machines, with this one as \"%2\".",
                "“%1”想要为您的设备创建一个圈子，本机名为“%2”。"
            )
        case .joinsCircle:
            ("\"%1\" wants this machine to join the circle %2 as \"%3\".", "“%1”想要让本机以“%3”加入圈子 %2。")
        case .addsMachine:
            ("\"%1\" wants to add the machine \"%2\" (%3) to your circle.", "“%1”想要将设备“%2”（%3）加入您的圈子。")
        case .removesMachine:
            ("\"%1\" wants to remove the machine \"%2\" (%3) from your circle.", "“%1”想要将设备“%2”（%3）移出您的圈子。")
        case .circleShares: ("Machines that you add will share this keychain's items.", "您加入的设备将共享此钥匙串的项目。")
        case .circleReads:
            (
                "Compare the number with the other machine's. Its circle will read and change your items.",
                "请与另一台设备核对此编号。该圈子将可读取和更改您的项目。"
            )
        case .machineReads:
            (
                "Compare the number with that machine's. It will read and change all items you synchronise.",
                "请与该设备核对此编号。它将可读取和更改您同步的所有项目。"
            )
        case .machineKeeps: ("It keeps what it has, and gets nothing new.", "它保留已有的内容，不再获得新内容。")
        case .leavesCircle: ("\"%1\" wants this machine to leave the circle %2.", "“%1”想要让本机退出圈子 %2。")
        case .itemsStay:
            (
                "Its items stay here. Remove this machine on another one, which gives the circle new keys.",
                "项目仍保留在本机。请在另一台设备上移除本机，圈子将随之更换密钥。"
            )
        case .circleTravels: ("Its changes travel through \"%1\".", "其更改经由“%1”传送。")
        case .othersGo: ("Machines that it has added go as well: %1", "由它加入的设备也将移出：%1")
        case .recoveryKeyInList: ("a recovery key %1", "恢复密钥 %1")
        case .moreMachines: (", and %1 more", "，另有 %1 台")
        case .asksToPair: ("\"%1\" wants to add a machine to your circle.", "“%1”想要将一台设备加入您的圈子。")
        case .asksToBePaired:
            ("\"%1\" wants this machine to join a circle of yours.", "“%1”想要让本机加入您的圈子。")
        case .showsDigits: ("Enter these digits on the other machine: %1", "请在另一台设备上输入这些数字：%1")
        case .digitsServe:
            ("They serve once, for ten minutes. Give them to nobody.", "这些数字仅可使用一次，十分钟内有效。请勿告诉他人。")
        case .resetsCircle:
            (
                "\"%1\" wants this machine to give up the circle %2, and begin another one as \"%3\".",
                "“%1”想要让本机放弃圈子 %2，并以“%3”创建另一个圈子。"
            )
        case .othersJoinAgain:
            (
                "All items stay here. Other machines stay in the old circle until they join the new one.",
                "所有项目都保留在本机。其他设备加入新圈子之前仍留在旧圈子。"
            )
        case .makesRecoveryKey:
            ("\"%1\" wants to make a recovery key for your circle %2.", "“%1”想要为您的圈子 %2 创建恢复密钥。")
        case .recoveryServes:
            (
                "With its code alone a new machine enters the circle when all others are lost.",
                "所有设备都丢失时，新设备仅凭其恢复码即可加入圈子。"
            )
        case .recoveryReplaces: ("The recovery key from before serves no more.", "之前的恢复密钥将不再有效。")
        case .recoversCircle:
            (
                "\"%1\" wants this machine to enter the circle %2 by its recovery key.",
                "“%1”想要让本机凭恢复密钥加入圈子 %2。"
            )
        case .newestChange: ("The newest change there is of %1.", "其中最新的更改日期为 %1。")
        case .noNewestChange: ("When it last changed is not known.", "其最后更改的时间未知。")
        case .machinesRead:
            ("These machines will read and change your items: %1", "以下设备将可读取和更改您的项目：%1")
        case .asksToKeepCode: ("\"%1\" has made a recovery key for your circle.", "“%1”已为您的圈子创建恢复密钥。")
        case .asksToBeRecovered:
            (
                "\"%1\" wants this machine to enter a circle of yours by its recovery key.",
                "“%1”想要让本机凭恢复密钥加入您的圈子。"
            )
        case .showsCode:
            ("Write this code down, and keep it away from your machines: %1", "请抄写此恢复码，并与您的设备分开保存：%1")
        case .codeServes:
            ("It is not shown again. It opens all items you synchronise.", "恢复码不会再次显示。它可打开您同步的所有项目。")
        case .enterCode: ("Enter the code of the circle's recovery key.", "请输入圈子恢复密钥的恢复码。")
        case .codeLabel: ("Recovery code:", "恢复码：")
        case .touchSensor: ("Touch the fingerprint sensor.", "请触摸指纹传感器。")
        case .enterPasscode: ("Enter the passcode of your keychain.", "请输入您的钥匙串密码。")
        case .enterPassword: ("Enter the password of this item.", "请输入此项目的密码。")
        case .choosePassword: ("Choose a password for this item.", "请为此项目设置密码。")
        case .enterLoginPassword: ("Enter the password you log in with.", "请输入您的登录密码。")
        case .enterDigits: ("Enter the eight digits that the other machine shows.", "请输入另一台设备显示的八位数字。")
        case .passcodeLabel: ("Passcode:", "钥匙串密码：")
        case .passwordLabel: ("Password:", "密码：")
        case .digitsLabel: ("Digits:", "数字：")
        case .againLabel: ("Again:", "再次输入：")
        case .ok: ("OK", "好")
        case .cancel: ("Cancel", "取消")
        case .usePasscode: ("Enter Passcode", "输入密码")
        case .wrong: ("That was wrong. Try again.", "输入有误，请重试。")
        case .notRecognised: ("The finger was not recognised. Try again.", "无法识别指纹，请重试。")
        case .wait: ("Too many attempts: wait %1 seconds.", "尝试次数过多，请等待 %1 秒。")
        case .mismatch: ("The two are not the same.", "两次输入不一致。")
        case .tooLong: ("That is too long.", "输入过长。")
        case .empty: ("It must not be empty.", "不能为空。")
        case .retry: ("Touch the sensor again.", "请再次触摸传感器。")
        case .tooShort: ("Too short. Touch or swipe again.", "时间太短，请再次触摸或滑动。")
        case .notCentred: ("Move the finger to the middle of the sensor.", "请将手指放在传感器中央。")
        case .liftFinger: ("Lift the finger and touch again.", "请抬起手指后再次触摸。")
        case .keysWithFallback: ("Enter: %1. Ctrl-C: %2.", "回车键：%1。Ctrl-C：%2。")
        case .keysToCancel: ("Ctrl-C: %1.", "Ctrl-C：%1。")
        }
    }

    /// The text with its places filled in. The values are taken as they are: see ``ForeignText``.
    func callAsFunction(_ language: UserLanguage, _ values: String...) -> String {
        var rest = (language == .english ? row.english : row.chinese)[...]
        var text = ""
        while let mark = rest.firstIndex(of: "%") {
            text += rest[..<mark]
            let number = rest.index(after: mark)
            if number < rest.endIndex, let place = rest[number].wholeNumberValue, values.indices.contains(place - 1) {
                text += values[place - 1]
            }
            rest = number < rest.endIndex ? rest[rest.index(after: number)...] : ""
        }
        return text + rest
    }
}
